#pragma once
// What a program, a file or a stranger wrote, made fit for a reader's terminal: no control characters (C0 but line feed and tab, DEL, C1), nothing
// that turns the direction of the text or hides in it, no bytes that are not UTF-8. Each of them becomes a question mark.
#include <string>
#include <string_view>

namespace heddle {

std::string clean_text(std::string_view text);
// The same of one line: no line feeds and tabs either.
std::string clean_line(std::string_view text);
// For a JSON document, in which such characters can only stand inside of strings: escaped as \uXXXX, so that nothing of them is lost.
std::string escape_steering(std::string_view json);

}  // namespace heddle
