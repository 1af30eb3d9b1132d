// What include/heddle/heddle.h and the loops that heddle-cc found call. In the library that instrumented programs are linked with, every iteration is
// executed.
#ifdef HEDDLE_STUB
#define HEDDLE_EXPORT extern "C" __attribute__((visibility("default")))

HEDDLE_EXPORT int heddle_skip_iteration(const char*) { return 0; }
HEDDLE_EXPORT void heddle_end_iteration(const char*) {}
HEDDLE_EXPORT int heddle_statements;
int heddle_statements = 0;
HEDDLE_EXPORT int heddle_skip_statement(const char*) { return 0; }
HEDDLE_EXPORT void heddle_end_statement(const char*) {}

#else
#include "runtime/base/real.h"
#include "runtime/engine/iterations.h"

using namespace heddle::rt;

HEDDLE_EXPORT int heddle_skip_iteration(const char* place) {
  return active() && !begin_iteration(place, __builtin_return_address(0)) ? 1 : 0;
}
HEDDLE_EXPORT void heddle_end_iteration(const char* place) {
  if (active()) end_iteration(place);
}
HEDDLE_EXPORT int heddle_skip_statement(const char* place) { return active() && !begin_statement(place) ? 1 : 0; }
HEDDLE_EXPORT void heddle_end_statement(const char* place) {
  if (active()) end_statement(place);
}

#endif
