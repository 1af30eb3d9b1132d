#pragma once
// All schedules with at most so many preemptions, each exactly once, fewest preemptions first.
#include <deque>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "search/search.h"
#include "trace/enabled.h"

namespace heddle::search {

// Iterative context bounding (Musuvathi & Qadeer, PLDI 2007, section 3.1). A run follows a known one up to some place, there lets another thread go
// (or makes another choice), and goes on without preemption; its own continuations branch only behind that place, so no
// schedule comes twice. Switches where the running thread is blocked, finished or gives way cost nothing and are all taken.
// Loops that wait by yielding are cut by the fair order of Musuvathi & Qadeer, PLDI 2008, algorithm 1.
//
// The reduction prunes a continuation whose state (named by its partial order), next thread and fairness have been continued before at
// no greater cost: whatever follows there has been or will be seen at no greater cost. That is sound under the bound, unlike plain
// partial order reduction (Coons, Musuvathi & McKinley, OOPSLA 2013, section 3). A partial order names a state only where every dependence
// is an event (trace/sight.h): a program with unseen accesses, or with time-outs, is explored without the reduction.
enum class Reduction : uint8_t {
  kNone,
  kWhereSeen,  // where the events show every dependence
  kAssumed,    // although they do not: the user says that unseen accesses do not race
};

class Bounded final : public Search {
 public:
  Bounded(const SearchOptions& options, uint32_t bound, Reduction reduction);
  std::optional<Plan> propose() override;
  void observe(size_t index, const Trace& trace) override;
  std::string knowledge() const override;

  struct Account {
    uint64_t schedules = 0;      // executed, all different
    uint64_t pruned = 0;         // continuations not taken because of the reduction
    uint64_t infeasible = 0;     // executions spent on learning that a thread was not enabled
    uint64_t unexpected = 0;     // runs that did not follow their plan: the program is not deterministic
    uint64_t outside = 0;        // runs that turned out to lie outside of the space
    uint64_t sites = 0;          // distinct scheduling points in the code
    uint64_t other_choices = 0;  // recorded choices whose alternatives are not enumerated
    uint64_t unfair = 0;         // continuations not taken because the thread only yields there again and again
    uint32_t complete = 0;       // all schedules with fewer preemptions than this are done
    bool reduced = false;
    bool exhausted = false;  // all up to the bound
    bool others = false;     // runs started processes, or threads that are not under control
    std::string unseen;      // why events do not show every dependence; empty if they do
  };
  const Account& account() const { return account_; }

 private:
  struct Item {
    std::shared_ptr<const Trace> trace;  // to be followed; none: the first run
    size_t position = 0;                 // as many of its events
    Slice slice{};                       // then this operation, unless empty
    std::vector<Choice> choice;          // in place of the trace's own
    size_t free = 0;                     // continuations branch from here on
    uint32_t early = 0;                  // time-outs fired early
    bool uncertain = false;              // the thread may turn out not to be enabled
    uint64_t key = 0;                    // names the state and who goes on from it
  };
  Plan plan_for(const Item& item) const;
  void restart_without_reduction();
  bool may_preempt_at(SiteId site) const;
  bool allows_reduction(const Trace& trace);
  void expand(const Item& item, const std::shared_ptr<const Trace>& trace);
  // A position of a run from which other threads can go on.
  struct Branch {
    const Item& item;  // that made the run
    const std::shared_ptr<const Trace>& trace;
    size_t position;
    uint64_t state;
    uint32_t current;  // thread that has the processor
    uint32_t cost;     // preemptions before it
    bool costs;        // to take the processor from it
  };
  void branch_to(const Branch& at, const PendingOperation& other);
  void branch_to_waiters(const Branch& at, const EnabledWalk& walk, uint32_t cost);
  // Registers that somebody goes on from this state; false if that has been done before. Work is done in order of cost, so the first to
  // come comes at the least cost.
  bool enter(uint64_t key);

  SearchOptions options_;
  uint32_t bound_;
  Reduction reduction_;
  Account account_;
  uint32_t level_ = 0;
  std::vector<std::vector<Item>> waiting_;  // by cost
  std::deque<Item> in_flight_;
  std::unordered_set<uint64_t> entered_;
  std::unordered_set<SiteId> sites_;
  bool inconclusive_ = false;  // some run said nothing
  size_t stale_ = 0;           // proposals made before a restart, to be ignored
};

// A wait ended so long before its time that nobody's work takes as long (kEarlyTimeoutMs): a schedule outside of the space.
bool ends_far_too_early(const Trace& trace);

// The conditions under which "all schedules" is meant.
std::string space_words(uint32_t early_timeouts, bool unfair);

}  // namespace heddle::search
