#pragma once
// The iterations of a run's marked loops as parts of it that may be left out (LEAN 3.2.2).
#include <string>
#include <vector>

#include "trace/trace.h"

namespace heddle::simplify {

// Iterations of one loop by one thread that are left out or kept together: one, or several in a row without an operation.
struct IterationPart {
  uint64_t first = 0, last = 0;  // their numbers
  uint64_t first_operation = 1;  // the thread's own operations of it...
  uint64_t last_operation = 0;   // ...none if this is smaller
  bool about_threads = false;    // creates or joins threads: their names hang on it
  uint64_t operations() const { return last_operation + 1 - first_operation; }
};

struct LoopUse {
  ThreadId thread = kNoThread;
  LoopId loop = 0;
  std::string place;  // "file:line"
  std::vector<IterationPart> parts;
  uint64_t iterations() const;
  uint64_t operations() const;
};

// Of a run whose plan asked for its iterations, those with the most operations first: loops around others come before them. Loops in which no
// operation happens are left out: they do not make a schedule longer.
std::vector<LoopUse> loop_uses(const Trace& trace);

// Of these, those that are in no iteration of another: the outermost, by thread. What is left out of one of them changes no number of another.
std::vector<size_t> outermost(const std::vector<LoopUse>& uses);

// A part of a run that a candidate leaves out, besides what the run has left out already.
struct Removal {
  std::vector<ThreadId> threads;  // with their descendants
  struct Parts {
    const LoopUse* use;
    std::vector<size_t> parts;  // of `use`, in order
  };
  std::vector<Parts> loops;  // none of them in a part of another
  // Executions of statements, and the own operations that were part of them, in the run as it is.
  struct Gone {
    ThreadId thread;
    uint64_t first, last;
  };
  std::vector<Skip> statements;
  std::vector<Gone> gone;
  bool empty() const { return threads.empty() && loops.empty() && statements.empty(); }
};

// The run's schedule without it (LEAN section 4: the events of what is removed are taken out of the trace, the rest is its projection): operations that
// follow an iteration that is left out have smaller numbers.
Plan projected(const Trace& trace, const Removal& removal, const Limits& limits);
// Puts the removal into a plan whose slices count on it.
void remove_from(Plan& plan, const Removal& removal);

}  // namespace heddle::simplify
