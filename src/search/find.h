#pragma once
// The driver of every search: keeps a window of executions in flight, feeds results back in order, and stops at the first failure or goes on.
#include <atomic>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "search/search.h"
#include "trace/executor.h"

namespace heddle::search {

struct FindProgress {
  size_t executions = 0;
  size_t inconclusive = 0;
  size_t failures = 0;    // distinct, by signature
  size_t behaviours = 0;  // distinct pairs of conflicting operations seen so far
  size_t last_new = 0;    // execution that showed the last new one, from 1; 0 = none did
  size_t schedules = 0;   // distinct partial orders
  double seconds = 0;
};

struct FoundFailure {
  std::string signature;
  size_t index = 0;  // of the first execution that showed it, from 0
  size_t count = 0;
  Plan plan;  // as proposed; plan_of(trace) replays what really happened
  Trace trace;
};

struct FindOptions {
  uint64_t executions = 10'000;
  double seconds = 0;       // 0 = no limit; cuts where it cuts
  bool keep_going = false;  // collect every distinct failure within the budget
  bool grow = false;        // first runs are short (RunLength); not for proofs, which need every run to its end
  // Proposals that may be ahead of the last observation: a function of the proposal's index and never of the number of workers, so that the
  // result does not depend on --jobs. 0 = growing: none at first, when every observation counts, up to kMaxWindow.
  size_t window = 0;
  const std::atomic<bool>* stop = nullptr;  // set by Ctrl-C
  std::function<bool(const Trace&)> fails = [](const Trace& t) { return is_failure(t.outcome()); };
  // Asked for each distinct failure as soon as it is seen, and a few times again where it was not believed. Then the search goes on.
  std::function<bool(FoundFailure&)> believe;
  std::function<void(const FindProgress&)> progress;
  std::function<void(const FindProgress&)> checkpoint;                // every few seconds, with `history` up to date
  std::function<void(size_t index, const Plan&, const Trace&)> each;  // every execution, in order
  bool measure = true;                                                // count behaviours and partial orders
  std::shared_ptr<SearchHistory> history;                             // behaviours known before; those seen are added
};
// Runs from the first that all end as cannot-control for one reason: the rest would, too.
inline constexpr size_t kEnoughUncontrolled = 3;
inline constexpr size_t kMaxWindow = 256;
inline constexpr uint64_t kMostAhead = 8'000'000;  // events of runs that are ahead of the last observation: they lie in memory
inline constexpr double kCheckpointSeconds = 5;
size_t window_at(uint64_t index);

struct FindResult {
  std::vector<FoundFailure> failures;  // in order of their first execution
  size_t executions = 0;               // observed, up to and including the failing one
  size_t refused = 0;                  // of these, failed and not believed
  size_t cut = 0;                      // of these, given up because they got long
  size_t inconclusive = 0;
  bool exhausted = false;      // the search had nothing more to propose
  bool stopped = false;        // by the stop flag or the clock
  std::string cannot_control;  // every run ended as cannot-control: for this reason, the same in each; else empty
  double seconds = 0;
  FindProgress last;
  double unseen = 1;  // Good-Turing estimate: probability that one more run shows a new partial order
  std::string knowledge;

  bool found() const { return !failures.empty(); }
};

FindResult find(Search& search, Executor& executor, const FindOptions& options);

// Behaviours and partial orders of the runs so far.
class Coverage {
 public:
  // How much of the trace was new.
  size_t add(const Trace& trace);
  // The same for whoever asks for behaviours alone: the order is not looked at, which is half of the work.
  size_t add_behaviours(const Trace& trace);
  // Behaviours that earlier searches saw: not new any more.
  void know(const std::unordered_map<uint64_t, uint32_t>& seen) { behaviours_ = seen; }
  const std::unordered_map<uint64_t, uint32_t>& seen() const { return behaviours_; }
  size_t behaviours() const { return behaviours_.size(); }
  size_t schedules() const { return orders_.size(); }
  double unseen() const { return runs_ == 0 ? 1.0 : static_cast<double>(singles_) / static_cast<double>(runs_); }

 private:
  std::unordered_map<uint64_t, uint32_t> behaviours_;
  std::unordered_map<uint64_t, uint32_t> orders_;
  size_t runs_ = 0;
  size_t singles_ = 0;  // orders seen exactly once (Good 1953)
};

}  // namespace heddle::search
