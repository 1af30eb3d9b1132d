#pragma once
// Iterations of loops that the program marks, or heddle-cc found (LEAN, section 3.2.2): which of them a run executed, and where they lie among the operations
// of their thread. They are no events: to count them, or to leave one out, moves no operation of the others.
#include "wire/ids.h"

namespace heddle {

// A plan asks for them by its `detect`.
inline constexpr uint32_t kDetectIterations = 1u << 17;

// A loop is named by its place in the source, "file:line", which both copies of a function have and every build keeps.
using LoopId = uint64_t;
constexpr LoopId loop_named(const char* place) {
  uint64_t id = 0x1007;
  for (; *place != 0; ++place) id = mix(id, static_cast<unsigned char>(*place));
  return id | 1;
}

struct LoopRow {
  LoopId id;
  char place[248];  // its end, where it is longer
};
inline constexpr uint64_t kMaxLoops = 16384;  // with statements

// Iterations `number` to `number + count - 1` of a loop by a thread, one after the other without an operation in between, begin after the thread's own
// operation `after`. With a count of 0: iteration `number` has ended after it.
struct IterationRow {
  uint32_t thread;  // index
  uint32_t after;
  LoopId loop;
  uint64_t number;  // among all iterations of this loop by this thread, those left out too; from 1
  uint64_t count;
};
inline constexpr uint64_t kMaxIterations = uint64_t{1} << 22;

// Statements that heddle-cc marked (LEAN, section 3.2.1) are named by their place, and counted by thread, as iterations are: they share the table of names and the
// form of a skip. They are counted only in a run whose plan leaves some out or asks for them here, from the first thread on.
inline constexpr uint32_t kDetectStatements = 1u << 18;
// Where such a run says what it comes to: three words that are stored one after the other, the last one last. Under Valgrind they lie in the trace of blocks, in
// order with what was executed.
struct StatementMark {
  uint64_t statement;  // its LoopId
  uint64_t number;     // among all executions of this statement by this thread, those left out too; from 1
  uint64_t state;      // the thread's own operations so far * 4 + a StatementState
};
enum StatementState : uint64_t {
  kStatementBegins = 0,
  kStatementEnds = 1,
  kStatementLeftOut = 2,
  kStatementIteration = 3,  // none: an iteration of the marked loop of that name begins, or is left out
};
static_assert(sizeof(IterationRow) == 32 && sizeof(LoopRow) == 256);

}  // namespace heddle
