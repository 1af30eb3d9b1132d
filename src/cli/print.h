#pragma once
// The tool's own words. Whatever they quote (a program's message, a file's name, a bug from somebody else) reaches the terminal clean.
#include <fmt/format.h>

#include <cstdio>
#include <functional>
#include <string>
#include <string_view>

#include "trace/clean_text.h"
#include "wire/rooms.h"

namespace heddle::cli {

// Called before anything is written: takes away what is drawn on the terminal for the moment (cli/progress.h). Empty: nothing is.
void before_printing(std::function<void()> then);

// To the stream as it is: documents, and text that was cleaned when it was laid out (report/screen.h).
void write_text(std::FILE* stream, std::string_view text);
// For the moment, on a terminal: whoever draws cleans what it quotes, and takes it away again.
void draw_text(std::string_view text);
// What the program itself printed: as it is into a file or a pipe, clean on a terminal.
void write_program_output(std::FILE* stream, std::string_view text);

template <typename... T>
void print_out(fmt::format_string<T...> format, T&&... values) {
  write_text(stdout, clean_text(fmt::format(format, std::forward<T>(values)...)));
}

template <typename... T>
void print_err(fmt::format_string<T...> format, T&&... values) {
  write_text(stderr, clean_text(fmt::format(format, std::forward<T>(values)...)));
}

}  // namespace heddle::cli
