#pragma once
// Text laid out for a terminal. What is added is cleaned (trace/clean_text.h); the only escape sequences in it are the colours put in here.
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "trace/clean_text.h"

namespace heddle::report {

class Screen {
 public:
  explicit Screen(bool colour) : colour_(colour) {}

  Screen& operator+=(std::string_view text) {
    text_ += clean_text(text);
    return *this;
  }
  Screen& operator+=(char c) { return *this += std::string_view(&c, 1); }
  void coloured(std::string_view text, const char* code) {
    text_ += colour_ ? fmt::format("\033[{}m{}\033[0m", code, clean_text(text)) : clean_text(text);
  }
  // Without the spaces at the end of the line.
  void end_line() {
    while (!text_.empty() && text_.back() == ' ') text_.pop_back();
    text_ += '\n';
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
  bool colour_;
};

}  // namespace heddle::report
