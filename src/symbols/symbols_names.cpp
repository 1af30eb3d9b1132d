#include "symbols/symbols_names.h"

#include <cxxabi.h>

#include <cctype>
#include <cstdlib>
#include <memory>
#include <vector>

namespace heddle::symbols {
namespace {

bool is_identifier_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$'; }

// The length of an operator name at `at` ("operator<<", "operator()"), symbols included; 0 if there is none. Brackets
// that belong to such a name must not be counted as brackets.
size_t operator_length(std::string_view text, size_t at) {
  constexpr std::string_view kWord = "operator";
  if (!text.substr(at).starts_with(kWord)) return 0;
  if (at > 0 && is_identifier_char(text[at - 1])) return 0;
  size_t end = at + kWord.size();
  if (end < text.size() && is_identifier_char(text[end])) return 0;
  for (std::string_view symbol : {"<=>", "<<=", ">>=", "->*", "()", "[]", "<<", ">>", "<=", ">=", "->", "<", ">"}) {
    if (text.substr(end).starts_with(symbol)) return kWord.size() + symbol.size();
  }
  return kWord.size();
}

// The position just behind the bracket that closes the one at `open`; the end of the text if none does.
size_t behind_bracket(std::string_view text, size_t open) {
  int depth = 0;
  for (size_t at = open; at < text.size(); ++at) {
    if (size_t skip = operator_length(text, at)) {
      at += skip - 1;
      continue;
    }
    char c = text[at];
    if (c == '<' || c == '(' || c == '{' || c == '[') ++depth;
    if (c == '>' && at > 0 && text[at - 1] == '-') continue;  // a trailing return type's arrow
    if (c == '>' || c == ')' || c == '}' || c == ']') --depth;
    if (depth == 0) return at + 1;
  }
  return text.size();
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

std::vector<std::string_view> split_arguments(std::string_view text) {
  std::vector<std::string_view> arguments;
  size_t begin = 0;
  for (size_t at = 0; at < text.size();) {
    char c = text[at];
    if (size_t skip = operator_length(text, at)) {
      at += skip;
    } else if (c == '<' || c == '(' || c == '{' || c == '[') {
      at = behind_bracket(text, at);
    } else {
      if (c == ',') {
        arguments.push_back(trimmed(text.substr(begin, at - begin)));
        begin = at + 1;
      }
      ++at;
    }
  }
  std::string_view last = trimmed(text.substr(begin));
  if (!last.empty() || !arguments.empty()) arguments.push_back(last);
  return arguments;
}

bool is_default_argument(std::string_view argument) {
  for (std::string_view start :
       {"std::allocator<", "std::char_traits<", "std::less<", "std::hash<", "std::equal_to<", "std::default_delete<"}) {
    if (argument.starts_with(start)) return true;
  }
  return false;
}

// Nesting is bounded by what the demangler can produce, but a crafted name may ask for more.
constexpr int kDeepestTemplate = 100;

std::string shorten_templates(std::string_view text, int depth) {
  if (depth > kDeepestTemplate) return std::string(text);
  std::string out;
  for (size_t at = 0; at < text.size();) {
    if (size_t skip = operator_length(text, at)) {
      out += text.substr(at, skip);
      at += skip;
      continue;
    }
    if (text[at] != '<') {
      out += text[at++];
      continue;
    }
    size_t end = behind_bracket(text, at);
    bool closed = end > at + 1 && text[end - 1] == '>';
    std::string_view inside = text.substr(at + 1, end - at - (closed ? 2 : 1));
    out += '<';
    bool first = true;
    for (std::string_view argument : split_arguments(inside)) {
      if (!first && is_default_argument(argument)) continue;
      if (!first) out += ", ";
      out += shorten_templates(argument, depth + 1);
      first = false;
    }
    if (closed) out += '>';
    at = end;
  }
  return out;
}

// Removes "[abi:cxx11]" and the like.
void remove_abi_tags(std::string& text) {
  for (size_t at = 0; (at = text.find("[abi:", at)) != std::string::npos;) {
    size_t end = text.find(']', at);
    if (end == std::string::npos) return;
    text.erase(at, end + 1 - at);
  }
}

// clang counts unnamed local types: "main::$_0" -> "main::{lambda#1}"
void name_unnamed_types(std::string& text) {
  constexpr std::string_view kMark = "::$_";
  for (size_t at = 0; (at = text.find(kMark, at)) != std::string::npos;) {
    size_t digits = at + kMark.size();
    size_t end = digits;
    while (end < text.size() && end < digits + 6 && std::isdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
    if (end == digits) {
      at = end;
      continue;
    }
    int number = std::stoi(text.substr(digits, end - digits)) + 1;
    text.replace(at + 2, end - at - 2, "{lambda#" + std::to_string(number) + "}");
    ++at;
  }
}

// "{lambda(int)#1}" -> "{lambda#1}"
std::string lambda_name(std::string_view braced) {
  if (!braced.starts_with("{lambda(")) return std::string(braced);
  size_t end = behind_bracket(braced, 7);
  return "{lambda" + std::string(braced.substr(end));
}

}  // namespace

// Rust's older names end in a hash of the crate, "counter::COUNT::h9549dbbac9dda554", which says nothing to people.
static std::string without_rust_hash(std::string name) {
  constexpr size_t kDigits = 16;
  constexpr std::string_view kBegins = "::h";
  if (name.size() <= kBegins.size() + kDigits) return name;
  const size_t at = name.size() - kBegins.size() - kDigits;
  const bool digits = name.find_first_not_of("0123456789abcdef", at + kBegins.size()) == std::string::npos;
  if (digits && name.compare(at, kBegins.size(), kBegins) == 0) name.resize(at);
  return name;
}

std::string demangle(const std::string& name) {
  if (!name.starts_with("_Z")) return name;
  int status = 0;
  std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && text != nullptr ? without_rust_hash(text.get()) : name;
}

std::string shorten_std(std::string_view name) {
  std::string text(name);
  for (std::string_view inline_namespace : {"std::__cxx11::", "std::__1::", "std::_V2::"}) {
    replace_all(text, inline_namespace, "std::");
  }
  replace_all(text, "(anonymous namespace)::", "");
  remove_abi_tags(text);
  name_unnamed_types(text);
  text = shorten_templates(text, 0);
  for (std::string_view plain : {"string_view", "string", "istream", "ostream", "iostream", "stringstream", "istringstream",
                                 "ostringstream", "ifstream", "ofstream", "fstream"}) {
    replace_all(text, "std::basic_" + std::string(plain) + "<char>", "std::" + std::string(plain));
  }
  return text;
}

std::string pretty_function(std::string_view demangled) {
  std::string text = shorten_std(demangled);
  std::string name;  // of what stands since the last space outside brackets
  for (size_t at = 0; at < text.size();) {
    if (size_t skip = operator_length(text, at)) {
      name += std::string_view(text).substr(at, skip);
      at += skip;
      // A conversion operator's type, new and delete are part of the name, up to the parameters.
      if (at < text.size() && text[at] == ' ' && text.compare(at, 2, " (") != 0) {
        while (at < text.size() && text[at] != '(') {
          size_t end = text[at] == '<' ? behind_bracket(text, at) : at + 1;
          name += text.substr(at, end - at);
          at = end;
        }
      }
      continue;
    }
    char c = text[at];
    if (c == '(') {
      size_t end = behind_bracket(text, at);
      std::string_view rest = std::string_view(text).substr(end);
      if (rest.starts_with(" const::")) {
        end += 6;
      } else if (!rest.starts_with("::")) {
        // The parameters, unless they belong to decltype(...) or a function type in front of the name.
        if (name.ends_with("decltype") || name.empty()) {
          name += std::string_view(text).substr(at, end - at);
          at = end;
          continue;
        }
        break;
      }
      at = end;
    } else if (c == '<' || c == '[') {
      size_t end = behind_bracket(text, at);
      name += std::string_view(text).substr(at, end - at);
      at = end;
    } else if (c == '{') {
      size_t end = behind_bracket(text, at);
      name += lambda_name(std::string_view(text).substr(at, end - at));
      at = end;
    } else if (c == ' ') {
      if (text.compare(at, 8, " [clone ") == 0) break;
      name.clear();
      ++at;
    } else {
      name += c;
      ++at;
    }
  }
  constexpr std::string_view kCall = "}::operator()";
  // A lambda is called through its operator(), which may itself be a template.
  if (size_t call = name.rfind(kCall); call != std::string::npos) {
    size_t end = call + kCall.size();
    if (end < name.size() && name[end] == '<') end = behind_bracket(name, end);
    if (end == name.size()) name.erase(call + 1);
  }
  return name.empty() ? text : name;
}

}  // namespace heddle::symbols
