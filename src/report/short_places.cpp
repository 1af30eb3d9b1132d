#include "report/short_places.h"

#include <cctype>
#include <string_view>

namespace heddle::report {

std::string without_file(const std::string& text, const std::string& file) {
  if (file.empty()) return text;
  auto in_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || std::string_view("_.-").find(c) != std::string_view::npos;
  };
  std::string out;
  for (size_t at = 0; at < text.size();) {
    if (text.compare(at, file.size() + 1, file + ":") != 0 || (at > 0 && in_name(text[at - 1]))) {
      out += text[at++];
      continue;
    }
    // With its directories, as an assertion has it.
    while (!out.empty() && (out.back() == '/' || in_name(out.back()))) out.pop_back();
    at += file.size();
  }
  return out;
}

void name_file_once(Diagnosis& d, const std::string& file) {
  if (file.empty()) return;
  bool named = d.ending.find(file) != std::string::npos;
  auto shorten = [&](std::string& text) {
    const size_t first = named ? std::string::npos : text.find(file + ":");
    const size_t rest = first == std::string::npos ? 0 : first + file.size() + 1;
    named |= rest != 0;
    text = text.substr(0, rest) + without_file(text.substr(rest), file);
  };
  for (std::string* text : {&d.why, &d.claim, &d.enough}) shorten(*text);
  for (std::string& part : d.parts) shorten(part);
  for (std::string* text : {&d.doomed, &d.fix}) shorten(*text);
  for (WaitEdge& w : d.waits) {
    w.at = without_file(w.at, file);
    w.taken_at = without_file(w.taken_at, file);
  }
}

}  // namespace heddle::report
