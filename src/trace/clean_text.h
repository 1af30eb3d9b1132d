#pragma once
// What a program, a file or a stranger wrote, made fit for a reader's terminal: no control characters (C0 but line feed and tab, DEL, C1), nothing
// that turns the direction of the text or hides in it, no bytes that are not UTF-8. Each of them becomes a question mark.
#include <string>
#include <string_view>

#include "wire/rooms.h"

namespace heddle::trace {

std::string clean_text(std::string_view text);
// The same of one line: no line feeds and tabs either.
std::string clean_line(std::string_view text);
// For a JSON document, in which such characters can only stand inside of strings: escaped as \uXXXX, so that nothing of them is lost.
std::string escape_steering(std::string_view json);

// Any bytes as UTF-8, and back: what a program is called need not be text. A byte that is not UTF-8 becomes a character of its own, from a private area
// (U+10FF00 and the byte); so do the bytes of such characters themselves.
std::string text_of_bytes(std::string_view bytes);
std::string bytes_of_text(std::string_view text);

}  // namespace heddle::trace
