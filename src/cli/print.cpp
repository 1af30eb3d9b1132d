#include "cli/print.h"

#include <unistd.h>

namespace heddle::cli {

namespace {

std::function<void()> clears_the_screen;

}  // namespace

void before_printing(std::function<void()> then) { clears_the_screen = std::move(then); }

void write_text(std::FILE* stream, std::string_view text) {
  if (clears_the_screen) clears_the_screen();
  std::fwrite(text.data(), 1, text.size(), stream);
}

void draw_text(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

void write_program_output(std::FILE* stream, std::string_view text) {
  if (::isatty(::fileno(stream)) == 1) {
    write_text(stream, clean_text(text));
  } else {
    write_text(stream, text);
  }
}

}  // namespace heddle::cli
