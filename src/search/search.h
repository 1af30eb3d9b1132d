#pragma once
// A search proposes plans and reads traces. Each has a file of its own, with its row.
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "trace/search_history.h"
#include "trace/trace.h"

namespace heddle::search {

class Search {
 public:
  virtual ~Search() = default;
  // The next plan, or nothing: nothing with proposals still unobserved means "tell me first how those went"; nothing with none
  // outstanding means that the search has exhausted what it can do.
  virtual std::optional<Plan> propose() = 0;
  // Called once for each proposal, in the order of proposal, whatever the number of workers.
  virtual void observe(size_t index, const Trace& trace) = 0;
  // The last proposal is not made and will not be observed: what it would show is known.
  virtual void withdraw() {}
  // Does it mostly draw samples of long runs? More points then need no new beginning: what it has learnt still holds.
  virtual bool draws_samples() const { return false; }
  // One sentence about what is known after it ran: bounds, coverage. May be empty.
  virtual std::string knowledge() const { return {}; }
};

// What a search starts from: everything random in it comes from `seed`.
struct SearchOptions {
  uint64_t seed = 1;
  Plan base;                      // point set, environment, limits: every proposal starts as a copy of it
  uint32_t depth = 3;             // PCT's d, preemption and delay bounds
  uint32_t early_timeouts = 0;    // in every run
  uint32_t spurious_wakeups = 0;  // in every run
  // How many sleeps, time-outs and waits on conditions may end before their time in one run, for searches that give a share of their runs to it.
  uint32_t timing = 0;
  bool samples_first = false;   // runs are long: one change of many that a run suggests seldom matters, so walks come before them
  std::optional<Trace> around;  // for searches that perturb a given trace
  // For bounded: a thread is preempted only before one of these places, sorted; empty: everywhere.
  std::vector<SiteId> preempt_at;
  // What earlier searches of the program learnt; added to by those that do. Nothing: they begin with nothing.
  std::shared_ptr<SearchHistory> history;
  std::function<bool(const Trace&)> fails = [](const Trace& t) { return is_failure(t.outcome()); };
};

struct SearchRow {
  uint32_t rank;  // its place in --help
  const char* name;
  const char* words;  // one line for --help
  const char* paper;  // where the algorithm is described
  std::unique_ptr<Search> (*make)(const SearchOptions&);
  bool takes_depth = false;  // what SearchOptions::depth says matters to it
};
const std::vector<SearchRow>& searches();
const SearchRow* search_named(const std::string& name);

}  // namespace heddle::search
