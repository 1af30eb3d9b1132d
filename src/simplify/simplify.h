#pragma once
// From a messy failing schedule to the switches that matter. A pass proposes plans about the best trace so far and reads what they
// gave; each has a file of its own, with its row. Every trace that becomes the best really ran and really failed alike.
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "trace/executor.h"
#include "trace/trace.h"
#include "wire/rows.h"

namespace heddle::simplify {

struct SimplifyProgress {
  Counts counts;  // of the best trace
  size_t executions = 0;
  const char* pass = "";
};

struct SimplifyOptions {
  std::string algorithm = "default";        // "default", or names of passes joined by '+'
  size_t max_executions = 0;                // 0 = no limit
  double seconds = 0;                       // 0 = no limit
  size_t certificate_executions = 1500;     // the most that proving the minimum may cost; 0 = no proof
  double certificate_seconds = 10;          // and how long it may take, unless max_executions is given
  bool assume_race_free = false;            // unseen accesses are taken to be independent: then nothing is proved
  const std::atomic<bool>* stop = nullptr;  // set from a signal handler: the best so far is returned
  uint64_t seed = 1;
  Limits limits{0, 10'000};  // of each run; events = 0: a generous multiple of the failing trace
  // Where the bug of a longer trace lies is near its end: intervals before the last `suffix` are left alone (Tinertia 5.4). 0 = all.
  size_t suffix = 0;
  std::function<void(const SimplifyProgress&)> progress;
  std::function<void(const Trace&)> seen;  // every trace that ran: the nearest passing one is among them
};

// What one kind of step did, for the report and for the comparison with the paper's 5.2.
struct OperationCount {
  std::string name;
  size_t tried = 0;
  size_t accepted = 0;
  size_t switches_removed = 0;
  size_t preemptions_removed = 0;
};

struct SimplifyResult {
  Trace best;
  size_t executions = 0;              // up to the result
  size_t certificate_executions = 0;  // besides, to prove that there is no better one
  double certificate_seconds = 0;     // part of `seconds`
  size_t cached = 0;                  // proposals answered without a run, because an equivalent schedule had run
  size_t rounds = 0;
  double seconds = 0;
  std::string minimal = "local";  // "proved" or "local"
  std::string certificate;        // what was excluded, in words
  std::string assumed;            // what the certificate rests on besides; empty: nothing
  std::vector<Trace> accepted;    // every trace that was the best for a while, the last is `best`; without the start
  bool finished = true;           // false: cut by a limit or by the stop flag
  std::vector<OperationCount> operations;
};

// `same_bug` holds for `failing` and decides which runs count as this bug.
SimplifyResult simplify(const Trace& failing, const std::function<bool(const Trace&)>& same_bug, Executor& executor,
                        const SimplifyOptions& options = {});

// Lexicographic: preemptions, then switches, then threads, then events.
bool simpler(const Counts& a, const Counts& b);

// A plan and what it is meant to give.
struct Proposal {
  Plan plan;
  const char* operation = "";
  size_t planned_switches = 0;  // cost of the planned schedule (Tinertia 3.1)
  size_t tag = 0;               // the pass's own
};

class Pass {
 public:
  virtual ~Pass() = default;
  // The next proposal; nothing with proposals still unobserved means "tell me first how those went"; nothing with none outstanding
  // means that the pass is done.
  virtual std::optional<Proposal> propose() = 0;
  // Called once for each proposal, in the order of proposal. `fails` = it ran into the same bug. True makes the trace the best.
  virtual bool observe(const Proposal& proposal, const Trace& trace, bool fails) = 0;
  // How many proposals may be under way: never a function of the number of workers, or the result would depend on it.
  virtual size_t window() const { return 1; }
  virtual size_t rounds() const { return 0; }
  // After the last proposal: is it proved that no schedule of this bug has fewer preemptions than the best?
  virtual bool proved() const { return false; }
  virtual std::string knowledge() const { return {}; }
  // What was assumed where it would be proved otherwise.
  virtual std::string assumed() const { return {}; }
  // Proposals that the pass itself answered without a run.
  virtual size_t cached() const { return 0; }
};

// What a pass starts from.
struct PassInput {
  const Trace& best;
  const SimplifyOptions& options;
  std::unordered_set<uint64_t>& rejected;  // orders (predict.h) whose runs did not show the bug: shared by the passes
};

struct PassRow {
  uint32_t rank;  // its place in --help and in the default pipeline
  const char* name;
  const char* words;  // one line for --help
  const char* paper;
  bool in_default;             // part of the default pipeline
  bool on_paper = false;       // costs a run only where it promises something: tried again on every new trace
  const char* then = nullptr;  // the pass to try again after this one, where it has left few preemptions
  bool restarts = false;       // what it finds has not been through the passes before it
  std::unique_ptr<Pass> (*make)(const PassInput&);
};
const std::vector<PassRow>& passes();
const PassRow* pass_named(const std::string& name);

}  // namespace heddle::simplify
