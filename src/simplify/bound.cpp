// Fewer preemptions by systematic search, and the certificate that there is no such schedule: all schedules with 0, then 1, ... preemptions
// (iterative context bounding: Musuvathi & Qadeer, PLDI 2007) up to one less than the best has.
// Without preemptions a thread runs until it blocks, ends or gives way, so the choices are which thread's block comes next; two blocks that
// share no dependent operation commute, and dynamic partial-order reduction over blocks (Flanagan & Godefroid, POPL 2005) is sound because
// no bound cuts across it. From one preemption on nothing is left out but what leads to a state that has been expanded (reduction under a
// bound: Coons, Musuvathi & McKinley, OOPSLA 2013, on why more would be unsound).
// Both rest on events that show every dependence (trace/sight.h). Where they do not, nothing is left out: every schedule is executed,
// each once.
#include <algorithm>
#include <deque>

#include <fmt/format.h>

#include "simplify/budget.h"
#include "simplify/run_positions.h"
#include "simplify/simplify.h"
#include "trace/sight.h"

namespace heddle::simplify {

namespace {

constexpr const char* kBoundedSearch = "bounded-search";
constexpr size_t kBoundedWindow = 8;
constexpr const char* kNoFewer = "no schedule has fewer than 0 preemptions";
constexpr size_t kLongest = 4'000;  // events: longer traces have too many schedules to try
constexpr size_t kGlance = 100;     // schedules tried where excluding them all is out of reach

class Bound final : public Pass {
 public:
  explicit Bound(const PassInput& input)
      : best_(input.best),
        limits_(run_limits(input)),
        budget_(input.options.certificate_executions),
        // A number of executions makes the result repeatable; a clock would not.
        clock_(0, input.options.max_executions == 0 ? input.options.certificate_seconds : 0, nullptr),
        assume_(input.options.assume_race_free),
        no_proof_(outside_of_space(input.best)) {
    look(best_);
    if (best_.preemptions() == 0) {
      // Nothing to prove, but another schedule without preemptions may have fewer switches.
      switches_only_ = true;
      proved_ = in_space();
      if (best_.events().size() > kLongest || budget_ == 0) {
        finish(no_fewer());
      } else {
        begin_bound(0);
      }
    } else if (best_.events().size() > kLongest || budget_ == 0) {
      done_ = true;
      knowledge_ = "whether fewer preemptions fail was not checked: the trace is too long";
    } else {
      begin_bound(0);
      // Does it need a time-out while something else can run? Then the schedules that are searched are not its like.
      probing_ = has_timed_operations(best_);
    }
  }

  std::optional<Proposal> propose() override {
    if (done_) return std::nullopt;
    if (probing_) {
      if (under_way_ > 0) return std::nullopt;
      ++under_way_;
      ++tried_;
      Proposal p;
      p.plan = without_timeouts(best_, limits_);
      p.operation = kBoundedSearch;
      return p;
    }
    if (queue_.empty() && under_way_ == 0 && !next_bound()) return std::nullopt;
    if (queue_.empty()) return std::nullopt;
    if (switches_only_ && tried_ >= kGlance) {
      finish(no_fewer());
      return std::nullopt;
    }
    if (tried_ >= budget_ || clock_.spent()) {
      finish(fmt::format("whether fewer preemptions fail was not decided within {} schedules (decided: {})", tried_, decided()));
      return std::nullopt;
    }
    if (tried_at_bound_ >= kGlance && queue_.size() > budget_ - tried_) {
      finish(fmt::format("whether fewer preemptions fail was not decided: {} schedules tried, more than {} to go", tried_, queue_.size()));
      return std::nullopt;
    }
    Proposal p;
    const Child& child = queue_.back();
    p.plan = branch(child.run, child.k, child.thread, child.waiter, limits_);
    watch(p.plan);
    queue_.pop_back();
    ++tried_at_bound_;
    p.operation = kBoundedSearch;
    ++under_way_;
    ++tried_;
    return p;
  }

  bool observe(const Proposal&, const Trace& trace, bool fails) override {
    --under_way_;
    if (done_) return false;
    if (probing_) {
      probing_ = false;
      if (first_difference(best_, trace) != kNoDifference && no_proof_.empty()) no_proof_ = "a time-out fires while something else can run";
      return false;
    }
    if (stale_ > 0) {
      --stale_;
      return false;
    }
    if (look(trace)) return false;
    if (is_inconclusive(trace.outcome())) ++inconclusive_;
    if (fails && simpler(trace.counts(), best_.counts())) {
      best_ = trace;
      no_proof_.clear();
      if (switches_only_) {
        proved_ = in_space();
        expand(trace);
      } else if (best_.preemptions() <= bound_) {
        queue_.clear();
        // Fewer than this bound's number were excluded before it began.
        prove();
        finish(fmt::format("fewer than {} preemptions: {}, {} schedules{}", bound_,
                           bound_ == 0                           ? "impossible"
                           : !open_.empty() || inconclusive_ > 0 ? "not all excluded"
                                                                 : "all excluded",
                           tried_, bound_ == 0 ? "" : conditions()));
      }
      return true;
    }
    if (trace.events().size() <= kLongest) {
      expand(trace);
    } else {
      ++inconclusive_;
    }
    return false;
  }

  size_t window() const override { return kBoundedWindow; }
  bool proved() const override { return proved_; }
  std::string assumed() const override { return assumed_; }
  std::string knowledge() const override { return knowledge_; }

 private:
  // A run to come: the first k events of another, then one operation of `thread`.
  struct Child {
    Trace run;
    size_t k;
    uint32_t thread;  // index in `run`, or kNoIndex
    ThreadId waiter;  // that this operation, a signal, is to wake; or kNoThread
  };

  // Learns from a run what the proof may rest on. True: the search has begun anew, and the run counts for nothing.
  bool look(const Trace& trace) {
    for (const Event& e : trace.events()) {
      if ((e.flags & kChoice) != 0 && e.op != Op::kCondSignal && !has(e.op, kTimed))
        open_ = "choices other than which waiter a signal wakes were not enumerated";
    }
    if (const std::string open = open_points(trace); !open.empty()) open_ = open;
    const std::string hidden = unseen(trace);
    if (!hidden.empty()) unseen_ = hidden;
    if (!reduce_ || (!has_timed_operations(trace) && (hidden.empty() || assume_))) return false;
    reduce_ = false;
    if (tried_ == 0) return false;
    stale_ = under_way_;
    queue_.clear();
    inconclusive_ = 0;
    begin_bound(0);
    return true;
  }

  // All schedules with fewer preemptions than the best have been executed, or stand for others that were.
  // Early ends are outside of the schedules that a proof speaks of.
  bool in_space() const { return no_proof_.empty() && early_timeouts(best_) == 0; }
  std::string no_fewer() const {
    return proved_ ? kNoFewer : "it has no preemption; whether it fails without the ends that come early was not decided";
  }
  void prove() {
    if (inconclusive_ > 0 || !open_.empty() || !no_proof_.empty()) return;
    if (bound_ > 0 && reduce_ && !unseen_.empty()) {
      assumed_ = "race-free: " + unseen_;
    } else {
      proved_ = true;
    }
  }

  std::string conditions() const {
    std::string words = "; time-outs fire only when nothing else can run";
    words += fmt::format("; at most {} turns of a spin loop at once", kSpinBound);
    if (!assumed_.empty()) words += "; assumed: " + assumed_;
    if (!open_.empty()) words += "; open: " + open_;
    return words;
  }

  void begin_bound(size_t bound) {
    bound_ = bound;
    tried_at_bound_ = 0;
    if (!reduce_ && bound > 0) {
      // What costs so many preemptions was found on the way; nothing is executed twice.
      queue_ = std::move(later_[bound]);
      return;
    }
    later_.assign(best_.preemptions() + 1, {});
    seen_.clear();
    passed_over_.forget();
    queue_.push_back({best_, 0, kNoIndex, kNoThread});
  }

  bool next_bound() {
    if (switches_only_) {
      finish(no_fewer());
      return false;
    }
    if (inconclusive_ > 0) {
      finish(fmt::format("{} of {} schedules with at most {} preemptions were inconclusive", inconclusive_, tried_, bound_));
      return false;
    }
    if (bound_ + 1 < best_.preemptions()) {
      begin_bound(bound_ + 1);
      return true;
    }
    const std::string range =
        bound_ == 0 ? std::string("without preemptions") : fmt::format("with at most {} preemption{}", bound_, bound_ == 1 ? "" : "s");
    if (!no_proof_.empty()) {
      finish(fmt::format("whether fewer preemptions fail was not decided: {}, unlike in the {} schedules tried", no_proof_, tried_));
      return false;
    }
    ++bound_;
    prove();
    finish(open_.empty() ? fmt::format("no schedule {} fails: {} checked, in all orders of blocks{}", range, tried_, conditions())
                         : fmt::format("of the schedules {} not all were checked, only {}{}", range, tried_, conditions()));
    return false;
  }

  std::string decided() const { return bound_ == 0 ? "none" : fmt::format("0 to {}", bound_ - 1); }

  void finish(std::string words) {
    knowledge_ = std::move(words);
    done_ = true;
  }

  void expand(const Trace& trace) {
    for (const auto& [earlier, k] : passed_over_.learn(trace)) {
      const RunPositions positions(earlier, !reduce_);
      for (uint32_t t : positions.at(k).enabled) try_thread(positions, k, t);
    }
    const RunPositions run(trace, !reduce_);
    const auto events = trace.events();
    for (size_t k = 0; k < events.size(); ++k) {
      const bool fresh = seen_.insert(edge(run.at(k), events[k].thread)).second;
      if ((bound_ > 0 || !reduce_) && (fresh || k == 0)) try_all(run, k);
      try_waiters(run, k);
    }
    if (bound_ == 0 && reduce_) try_races(run);
  }

  uint64_t edge(const Position& s, uint32_t thread) const {
    const uint64_t name = mix(s.order, s.free ? 0 : s.current + 1);
    return mix(mix(name, thread + 1), bound_ == 0 || !reduce_ ? 0 : s.preemptions);
  }

  void try_thread(const RunPositions& run, size_t k, uint32_t thread) {
    const Position& s = run.at(k);
    if (thread == s.current && s.stays >= kSpinBound) return;
    const size_t cost = s.preemptions + (s.free || thread == s.current ? 0 : 1);
    if (cost > bound_ && (reduce_ || cost >= best_.preemptions())) return;
    if (!seen_.insert(edge(s, thread)).second) return;
    if (cost <= bound_) {
      queue_.push_back({run.trace(), k, thread, kNoThread});
    } else if (later_[cost].size() <= budget_) {  // more than can be tried is enough to know
      later_[cost].push_back({run.trace(), k, thread, kNoThread});
    }
  }

  void try_all(const RunPositions& run, size_t k) {
    const Position& s = run.at(k);
    const size_t next = run.next_of_current(k);
    if (reduce_ && !s.free && next != kNoInterval && passed_over_.may_skip(run.trace(), k, run.trace().events()[next])) return;
    for (uint32_t t : s.enabled) try_thread(run, k, t);
  }

  // Every pair of dependent blocks of two threads is to be seen in the other order too.
  void try_races(const RunPositions& run) {
    const auto events = run.trace().events();
    std::vector<uint32_t> predecessors;
    for (size_t j = 0; j < events.size(); ++j) {
      for (uint32_t i : run.dependence().before(j)) try_reversal(run, i, events[j].thread, events[j]);
    }
    // The next operation of each thread in the end is a step that other orders may take.
    for (uint32_t t = 0; t < run.trace().threads().size(); ++t) {
      const Thread& thread = run.trace().threads()[t];
      if (thread.state == ThreadState::kFinished || thread.state == ThreadState::kRemoved || thread.pending == Op::kNone) continue;
      DependenceWalk walk(run.trace());
      for (size_t k = 0; k < events.size(); ++k) {
        predecessors.clear();
        walk.step(events[k], static_cast<uint32_t>(k), predecessors);
      }
      Event pending{};
      pending.thread = t;
      pending.number = thread.operations + 1;
      pending.op = thread.pending;
      pending.object = thread.object;
      predecessors.clear();
      walk.step(pending, static_cast<uint32_t>(events.size()), predecessors);
      for (uint32_t i : predecessors) try_reversal(run, i, t, pending);
    }
  }

  void try_reversal(const RunPositions& run, size_t i, uint32_t thread, const Event& second) {
    const auto events = run.trace().events();
    if (events[i].thread == thread) return;
    // Never both enabled: a start and the creation before it, a join and the end before it.
    if (second.op == Op::kThreadStart || events[i].op == Op::kThreadCreate || events[i].op == Op::kThreadExit) return;
    if (!is_unlock(events[i].op)) reverse_at(run, run.block_of(i), thread);
    // A lock is asked for before it is given back: the other order begins where the first thread took it.
    if (!is_unlock(events[i].op) && events[i].op != Op::kCondWait && events[i].op != Op::kCondTimedWait) return;
    for (size_t k = i; k-- > 0;) {
      if (events[k].thread != events[i].thread || !takes_lock(events[k])) continue;
      if (is_unlock(events[i].op) && events[k].object != events[i].object) continue;
      reverse_at(run, run.block_of(k), thread);
      return;
    }
  }

  void reverse_at(const RunPositions& run, size_t k, uint32_t thread) {
    const Position& s = run.at(k);
    if (std::find(s.enabled.begin(), s.enabled.end(), thread) != s.enabled.end()) {
      try_thread(run, k, thread);
      return;
    }
    for (uint32_t t : s.enabled) try_thread(run, k, t);
  }

  // A signal may wake any of the threads that wait.
  void try_waiters(const RunPositions& run, size_t k) {
    const Event& e = run.trace().events()[k];
    if (run.at(k).preemptions > bound_) return;
    for (uint32_t w : run.at(k).waiters) {
      const ThreadId waiter = run.trace().threads()[w].id;
      if (waiter == e.value) continue;
      if (!seen_.insert(mix(edge(run.at(k), e.thread), waiter)).second) continue;
      queue_.push_back({run.trace(), k, e.thread, waiter});
    }
  }

  Trace best_;
  Limits limits_;
  size_t budget_;
  Budget clock_;
  std::vector<Child> queue_;           // depth first
  std::unordered_set<uint64_t> seen_;  // (position, next thread) that ran or is queued
  PassedOver passed_over_;
  size_t bound_ = 0;
  size_t tried_ = 0;
  size_t tried_at_bound_ = 0;
  size_t under_way_ = 0;
  size_t inconclusive_ = 0;
  bool done_ = false;
  bool proved_ = false;
  bool switches_only_ = false;             // the best has no preemption
  const bool assume_;                      // that unseen accesses do not race
  bool reduce_ = true;                     // schedules that differ in the order of independent events stand for each other
  std::vector<std::vector<Child>> later_;  // without reduction: by preemptions, for the bounds to come
  bool probing_ = false;
  size_t stale_ = 0;      // runs under way when the search began anew
  std::string no_proof_;  // why the best is not among the schedules searched; empty: it is
  std::string unseen_;    // dependences that no event shows; empty: none
  std::string open_;      // schedules of the space that were not searched
  std::string assumed_;
  std::string knowledge_;
};

constexpr PassRow kBoundPass{
    .rank = 70,
    .name = "bound",
    .words = "search all schedules with fewer preemptions; finding none proves the minimum",
    .paper = "Musuvathi & Qadeer, PLDI 2007",
    .in_default = true,
    .restarts = true,
    .make = [](const PassInput& input) -> std::unique_ptr<Pass> { return std::make_unique<Bound>(input); },
};
HEDDLE_ROW(passes, kBoundPass);

}  // namespace

}  // namespace heddle::simplify
