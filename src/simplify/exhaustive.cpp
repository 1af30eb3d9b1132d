// The simplest schedule of the bug there is: best-first search over all schedules, by preemptions and then by switches (iterative context
// bounding, Musuvathi & Qadeer, PLDI 2007, with both bounds), until nothing cheaper than the best is left. Runs that lead to a position where
// the same has happened, and the same thread has run last, are not taken further. The measure for the other passes, for small programs.
// Where events do not show every dependence (trace/sight.h), only runs that have come the very same way share a position.
#include <queue>

#include <fmt/format.h>

#include "simplify/budget.h"
#include "simplify/run_positions.h"
#include "simplify/simplify.h"
#include "trace/sight.h"

namespace heddle::simplify {

namespace {

constexpr const char* kExhaustiveSearch = "exhaustive-search";
constexpr size_t kExhaustiveWindow = 4;

using Price = std::pair<size_t, size_t>;  // preemptions, switches

Price price_of(const Trace& trace) { return {trace.preemptions(), trace.switches()}; }

class Exhaustive final : public Pass {
 public:
  explicit Exhaustive(const PassInput& input) : best_(input.best), limits_(run_limits(input)) {
    exact_ = has_timed_operations(best_) || (!unseen(best_).empty() && !input.options.assume_race_free);
    if (!unseen(best_).empty() && !exact_) assumed_ = "race-free: " + unseen(best_);
    no_proof_ = outside_of_space(best_);
    if (has_timed_operations(best_)) no_proof_ = "time-outs";
    push({{0, 0}, 0, best_, 0, kNoIndex, kNoThread, 0});
    expand(best_);
  }

  std::optional<Proposal> propose() override {
    while (!queue_.empty() && queue_.top().price < price_of(best_)) {
      Branch next = queue_.top();
      queue_.pop();
      if (next.edge != 0 && reached_[next.edge].ran && reached_[next.edge].price <= next.price) continue;
      if (next.edge != 0) reached_[next.edge] = {next.price, true};
      Proposal p;
      p.plan = branch(next.run, next.k, next.thread, next.waiter, limits_);
      watch(p.plan);
      p.operation = kExhaustiveSearch;
      ++under_way_;
      ++tried_;
      return p;
    }
    if (under_way_ > 0) return std::nullopt;
    const bool excluded = inconclusive_ == 0 && no_proof_.empty() && open_.empty();
    proved_ = excluded && assumed_.empty();
    if (inconclusive_ > 0) {
      knowledge_ = fmt::format("{} of {} schedules were inconclusive", inconclusive_, tried_);
    } else if (!excluded) {
      knowledge_ = fmt::format("not all schedules were searched: {}{}", no_proof_, open_);
    } else {
      knowledge_ = fmt::format("no schedule with fewer preemptions, or as many and fewer switches, fails: {} checked{}", tried_,
                               assumed_.empty() ? "" : "; assumed: " + assumed_);
    }
    return std::nullopt;
  }

  bool observe(const Proposal&, const Trace& trace, bool fails) override {
    --under_way_;
    if (is_inconclusive(trace.outcome())) {
      ++inconclusive_;
      return false;
    }
    if (const std::string open = open_points(trace); !open.empty()) open_ = open;
    for (const Event& e : trace.events()) {
      if ((e.flags & kChoice) != 0 && e.op != Op::kCondSignal && !has(e.op, kTimed)) open_ = "other choices than waiters";
    }
    if (has_timed_operations(trace)) open_ = "time-outs";
    const bool better = fails && simpler(trace.counts(), best_.counts());
    if (better) best_ = trace;
    expand(trace);
    return better;
  }

  size_t window() const override { return kExhaustiveWindow; }
  bool proved() const override { return proved_; }
  std::string assumed() const override { return assumed_; }
  std::string knowledge() const override { return knowledge_; }

 private:
  // A run to come: the first k events of another, then one operation of `thread`.
  struct Branch {
    Price price;  // of these
    size_t sequence;
    Trace run;
    size_t k;
    uint32_t thread;
    ThreadId waiter;
    uint64_t edge;  // its name in reached_; 0: none
  };
  struct Later {
    bool operator()(const Branch& a, const Branch& b) const { return std::tie(a.price, a.sequence) > std::tie(b.price, b.sequence); }
  };
  struct Reached {
    Price price;
    bool ran = false;
  };

  void push(Branch b) {
    b.sequence = ++pushed_;
    queue_.push(std::move(b));
  }

  static uint64_t edge_of(const Position& p, uint32_t thread) {
    return mix(mix(p.order, p.current + 1), mix(p.free ? 1 : 2, mix(thread + 1, p.stays)));
  }

  static Price price_of(const Position& p, uint32_t thread) {
    const bool switches = p.current != kNoIndex && thread != p.current;
    return {p.preemptions + (switches && !p.free ? 1 : 0), p.switches + (switches ? 1 : 0)};
  }
  static Price price_of(const Trace& trace) { return heddle::simplify::price_of(trace); }

  void expand(const Trace& trace) {
    for (const auto& [earlier, k] : passed_over_.learn(trace)) {
      const RunPositions positions(earlier, exact_);
      try_threads(positions, k);
    }
    const RunPositions run(trace, exact_);
    const auto events = trace.events();
    for (size_t k = 0; k < events.size(); ++k) {
      const Position& p = run.at(k);
      if (Price{p.preemptions, p.switches} >= price_of(best_)) break;
      const Price price = price_of(p, events[k].thread);
      Reached& mine = reached_.try_emplace(edge_of(p, events[k].thread), Reached{price, true}).first->second;
      if (price <= mine.price) mine = {price, true};
      try_waiters(run, k);
      const size_t next = run.next_of_current(k);
      if (exact_ || p.free || next == kNoInterval || !passed_over_.may_skip(trace, k, events[next])) try_threads(run, k);
    }
  }

  void try_threads(const RunPositions& run, size_t k) {
    const Position& p = run.at(k);
    for (uint32_t t : p.enabled) {
      if (t == run.trace().events()[k].thread || (t == p.current && p.stays >= kSpinBound)) continue;
      const Price price = price_of(p, t);
      const uint64_t edge = edge_of(p, t);
      if (price >= price_of(best_)) continue;
      const auto [at, fresh] = reached_.try_emplace(edge, Reached{price, false});
      if (!fresh && at->second.price <= price) continue;
      at->second = {price, false};
      push({price, 0, run.trace(), k, t, kNoThread, edge});
    }
  }

  // A signal may wake any of the threads that wait.
  void try_waiters(const RunPositions& run, size_t k) {
    const Event& e = run.trace().events()[k];
    for (uint32_t w : run.at(k).waiters) {
      const ThreadId waiter = run.trace().threads()[w].id;
      if (waiter == e.value) continue;
      const Price price = price_of(run.at(k), e.thread);
      const uint64_t edge = mix(edge_of(run.at(k), e.thread), waiter);
      const auto [at, fresh] = reached_.try_emplace(edge, Reached{price, false});
      if (!fresh && at->second.price <= price) continue;
      at->second = {price, false};
      push({price, 0, run.trace(), k, e.thread, waiter, edge});
    }
  }

  Trace best_;
  Limits limits_;
  std::priority_queue<Branch, std::vector<Branch>, Later> queue_;
  std::unordered_map<uint64_t, Reached> reached_;  // cheapest way to a position and a thread that goes on there
  PassedOver passed_over_;
  size_t pushed_ = 0;
  size_t tried_ = 0;
  size_t under_way_ = 0;
  size_t inconclusive_ = 0;
  bool proved_ = false;
  bool exact_ = false;  // nothing but the very same beginning is shared
  std::string assumed_;
  std::string no_proof_;
  std::string open_;
  std::string knowledge_;
};

constexpr PassRow kExhaustivePass{
    .rank = 90,
    .name = "exhaustive",
    .words = "search all schedules, the cheapest first: the optimum, for small programs",
    .paper = "Musuvathi & Qadeer, PLDI 2007",
    .in_default = false,
    .make = [](const PassInput& input) -> std::unique_ptr<Pass> { return std::make_unique<Exhaustive>(input); },
};
HEDDLE_ROW(passes, kExhaustivePass);

}  // namespace

}  // namespace heddle::simplify
