#pragma once
// Always on: an invariant of ours that does not hold ends the run with a sentence and the outcome cannot-control, never with a hang.

namespace heddle::rt {

[[noreturn]] void check_failed(const char* what, const char* file, int line);
// Tells the user, on the program's standard error, in one line that starts with "heddle: ".
void say(const char* text);

}  // namespace heddle::rt

#define HEDDLE_CHECK(condition)                                                                        \
  do {                                                                                                 \
    if (__builtin_expect(!(condition), 0)) ::heddle::rt::check_failed(#condition, __FILE__, __LINE__); \
  } while (0)
