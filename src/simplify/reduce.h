#pragma once
// Removal of what a bug does not need: whole threads, and iterations of loops. LEAN (Huang & Zhang, OOPSLA 2012), sections 2.2, 3.1 and 3.2.2.
#include <optional>
#include <string>
#include <vector>

#include "simplify/iterations.h"
#include "simplify/simplify.h"

namespace heddle::simplify {

struct ReduceOptions {
  size_t max_executions = 0;  // 0 = no limit
  double seconds = 0;         // 0 = no limit
  bool threads = true;        // try to remove threads
  bool iterations = true;     // try to remove iterations of loops that are marked
  const std::atomic<bool>* stop = nullptr;
  Limits limits{0, 10'000};  // events = 0: a generous multiple of the failing trace
  std::function<void(const SimplifyProgress&)> progress;
};

// What a stage of the reduction took.
struct ReduceStage {
  size_t rounds = 0;  // a round is a validation: the projected schedule and, if that fails, a sequential run
  size_t rounds_to_result =
      0;  // up to the last that something went in; what follows makes 1-minimality sure (not in the paper's Figs. 8 and 9)
  size_t executions = 0;
  double seconds = 0;
  size_t events_left = 0;  // after it; of threads, after the first pass
};

// One validation (Figs. 8 and 9).
struct ReduceRound {
  enum class Stage { kThreads, kIterations, kStatements } stage = Stage::kThreads;
  bool holds = false;
  std::vector<Skip> skips;  // all that this run left out
};

// How a sequential run of what is left ended (Definition 2, condition II).
struct InTurn {
  bool reached = false;  // the failing check
  bool passed = false;   // and went on after it
  bool asked = false;    // such a run was made at all
};

// Executions of one statement by one thread, in the run that slicing began with and in what is left.
struct StatementUse {
  ThreadId thread = kNoThread;
  std::string place;  // "file:line", and a column where there are several
  uint64_t before = 0, after = 0;
};
struct StatementsLeft {
  uint64_t before = 0, after = 0;  // executions
  std::vector<StatementUse> uses;
};

struct ReduceResult {
  Trace best;                                // of the reduced program: its skips are in the trace, so that its plan replays it
  std::vector<ThreadId> removed;             // roots of the removed subtrees, in order of removal
  std::vector<LoopUse> loops;                // of the whole failing run
  std::vector<LoopUse> left;                 // of the best
  uint64_t iterations_lost = 0;              // there were too many to keep: those are not tried
  std::optional<StatementsLeft> statements;  // nothing: the program marks none, or a slice could not be had
  std::string no_statements;                 // why it could not
  ReduceStage by_threads, by_iterations, by_statements;
  std::vector<ReduceRound> history;
  size_t executions = 0;
  size_t rounds = 0;
  double seconds = 0;
  InTurn in_turn;
  bool sequential_bug = false;  // the whole program fails alike without any interleaving: then only the first condition was used
  bool one_minimal = true;      // no single remaining thread, and no iteration of its loop, can be removed; false: cut by a limit
  bool finished = true;
};

// Hierarchical delta debugging over the tree of births (Algorithms 1 and 2), then ddmin over the iterations of each loop by each thread (Algorithm 4). A set
// of threads or iterations is redundant iff without it the projected schedule still fails with the same bug, and a sequential run reaches the failing
// check and passes it.
ReduceResult reduce(const Trace& failing, const std::function<bool(const Trace&)>& same_bug, Executor& executor,
                    const ReduceOptions& options = {});

}  // namespace heddle::simplify
