#include "trace/clean_text.h"

#include <fmt/format.h>

namespace heddle::trace {

namespace {

constexpr char32_t kInvalid = 0xFFFFFFFF;
constexpr char32_t kByte = 0x10FF00;  // and the 255 that follow

// The next character of `text`, and how many bytes it takes: kInvalid and 1 where they are not UTF-8 (RFC 3629: shortest form, no surrogates).
char32_t next_character(std::string_view text, size_t* bytes) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  *bytes = 1;
  const unsigned char first = byte(0);
  if (first < 0x80) return first;
  const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return kInvalid;
  char32_t value = first & (0xFF >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return kInvalid;
    value = value << 6 | (byte(i) & 0x3F);
  }
  const char32_t least = length == 2 ? 0x80 : length == 3 ? 0x800 : 0x10000;
  if (value < least || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) return kInvalid;
  *bytes = length;
  return value;
}

bool is_control(char32_t c) { return c < 0x20 || (c >= 0x7F && c <= 0x9F); }

// Marks that turn the direction of the text, separators of lines and paragraphs, characters without a shape, tags.
bool is_hidden(char32_t c) {
  return c == 0xAD || c == 0x61C || c == 0x180E || (c >= 0x200B && c <= 0x200F) || (c >= 0x2028 && c <= 0x202E) ||
         (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF || (c >= 0xFFF9 && c <= 0xFFFB) || (c >= 0xE0000 && c <= 0xE007F);
}

template <typename Keep>
std::string cleaned(std::string_view text, const Keep& keep) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    size_t bytes = 0;
    const char32_t c = next_character(text, &bytes);
    if (c != kInvalid && (keep(c) || !(is_control(c) || is_hidden(c)))) {
      out.append(text.substr(0, bytes));
    } else {
      out += '?';
    }
    text.remove_prefix(bytes);
  }
  return out;
}

}  // namespace

std::string clean_text(std::string_view text) {
  return cleaned(text, [](char32_t c) { return c == '\n' || c == '\t'; });
}

std::string clean_line(std::string_view text) {
  return cleaned(text, [](char32_t) { return false; });
}

std::string escape_steering(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  while (!json.empty()) {
    size_t bytes = 0;
    const char32_t c = next_character(json, &bytes);
    // Below 0x20 there is only the white space between the values.
    if (c == kInvalid || c < 0x20 || !(is_control(c) || is_hidden(c))) {
      out.append(json.substr(0, bytes));
    } else if (c < 0x10000) {
      out += fmt::format("\\u{:04x}", static_cast<uint32_t>(c));
    } else {
      const auto rest = static_cast<uint32_t>(c - 0x10000);
      out += fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + (rest >> 10), 0xDC00 + (rest & 0x3FF));
    }
    json.remove_prefix(bytes);
  }
  return out;
}

std::string text_of_bytes(std::string_view bytes) {
  std::string out;
  while (!bytes.empty()) {
    size_t length = 0;
    const char32_t c = next_character(bytes, &length);
    if (c != kInvalid && c < kByte) {
      out.append(bytes.substr(0, length));
    } else {
      for (const char each : bytes.substr(0, length)) {
        const auto byte = static_cast<unsigned char>(each);
        out += {'\xF4', '\x8F', static_cast<char>(0xBC | byte >> 6), static_cast<char>(0x80 | (byte & 0x3F))};
      }
    }
    bytes.remove_prefix(length);
  }
  return out;
}

std::string bytes_of_text(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    size_t length = 0;
    const char32_t c = next_character(text, &length);
    if (c != kInvalid && c >= kByte) {
      out += static_cast<char>(c - kByte);
    } else {
      out.append(text.substr(0, length));
    }
    text.remove_prefix(length);
  }
  return out;
}

}  // namespace heddle::trace
