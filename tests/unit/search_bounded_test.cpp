// Bounded search: exact numbers of schedules, against closed formulas and against brute force; the reduction loses nothing.
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "search/bounded.h"
#include "search/check.h"
#include "search/find.h"
#include "toy/kernels.h"
#include "trace/happens_before.h"

namespace heddle::test {
namespace {

uint64_t choose(uint64_t n, uint64_t k) {
  if (k > n) return 0;
  uint64_t result = 1;
  for (uint64_t i = 1; i <= k; ++i) result = result * (n - k + i) / i;
  return result;
}

// Two threads of a and b operations that never block: a schedule with c preemptions is c + 2 blocks, taken in turn.
uint64_t two_thread_schedules(uint64_t a, uint64_t b, uint64_t c) {
  const uint64_t first = (c + 3) / 2 - 1;
  const uint64_t second = (c + 2) / 2 - 1;
  return choose(a - 1, first) * choose(b - 1, second) + choose(b - 1, first) * choose(a - 1, second);
}

// Both threads run from the beginning; main joins the other, which is no switch point of its own.
toy::Program two_threads(int a, int b) {
  toy::Program p;
  p.together = true;
  p.bodies.resize(2);
  for (int i = 0; i < a; ++i) p.bodies[0].push_back(toy::store(1, i));
  p.bodies[0].push_back(toy::join(1));
  for (int i = 0; i < b - 1; ++i) p.bodies[1].push_back(toy::store(1, 10 + i));  // its exit is the b-th
  return p;
}

std::string schedule_of(const Trace& trace) {
  std::string text;
  for (const Event& e : trace.events()) text += trace.thread(e).path + (e.flags & kChoice ? "!" + std::to_string(e.value) : "") + " ";
  return text;
}

struct Explored {
  std::map<size_t, std::set<std::string>> schedules;  // by preemptions
  std::set<uint64_t> orders;
  std::set<std::string> failures;
  size_t runs = 0;

  size_t up_to(size_t bound) const {
    size_t sum = 0;
    for (const auto& [preemptions, s] : schedules) sum += preemptions <= bound ? s.size() : 0;
    return sum;
  }
  void add(const Trace& trace) {
    ++runs;
    schedules[trace.preemptions()].insert(schedule_of(trace));
    orders.insert(order_hash(trace));
    if (is_failure(trace.outcome())) failures.insert(signature(trace));
  }
};

// Tries every thread at every place, with no knowledge of what is enabled.
void brute_force(const toy::Program& program, const std::vector<Slice>& prefix, size_t threads, size_t bound, Explored& out) {
  Plan plan;
  plan.slices = prefix;
  plan.strictness = Strictness::kStrict;
  const Trace trace = program.run(plan);
  ASSERT_NE(trace.outcome().kind, OutcomeKind::kDiverged);
  if (trace.events().size() == prefix.size()) {
    out.add(trace);
    return;
  }
  // How many operations each thread has done in the prefix.
  std::map<ThreadId, uint64_t> done;
  for (const Slice& s : prefix) done[s.thread] = s.until;
  for (size_t t = 0; t < trace.threads().size() && t < threads; ++t) {
    const ThreadId id = trace.threads()[t].id;
    std::vector<Slice> longer = prefix;
    longer.push_back({id, done[id] + 1});
    Plan attempt;
    attempt.slices = longer;
    attempt.strictness = Strictness::kStrict;
    const Trace tried = program.run(attempt);
    if (tried.outcome().kind == OutcomeKind::kDiverged) continue;
    size_t preemptions = 0;
    for (const TraceSlice& s : tried.slices()) preemptions += s.end < longer.size() && s.preempted ? 1 : 0;
    if (preemptions > bound) continue;
    brute_force(program, longer, threads, bound, out);
  }
}

Explored bounded(const toy::Program& program, uint32_t bound, bool reduce, Bounded::Account* account = nullptr) {
  Bounded search({}, bound, reduce ? Reduction::kWhereSeen : Reduction::kNone);
  DirectExecutor executor([&](const Plan& plan) { return program.run(plan); });
  Explored explored;
  FindOptions options;
  options.executions = 200'000;
  options.keep_going = true;
  options.measure = false;
  options.each = [&](size_t, const Plan&, const Trace& trace) {
    if (trace.outcome().kind != OutcomeKind::kDiverged) explored.add(trace);
  };
  const FindResult result = find(search, executor, options);
  EXPECT_TRUE(result.exhausted);
  EXPECT_TRUE(search.account().exhausted);
  EXPECT_EQ(search.account().unexpected, 0u);
  if (account != nullptr) *account = search.account();
  return explored;
}

TEST(Bounded, CountsTheSchedulesOfTwoThreadsAsTheFormulaDoes) {
  for (const auto& [a, b] : {std::pair{2, 2}, {3, 3}, {4, 2}, {3, 5}}) {
    uint64_t expected = 0;
    for (uint32_t bound = 0; bound <= 4; ++bound) {
      expected += two_thread_schedules(static_cast<uint64_t>(a), static_cast<uint64_t>(b), bound);
      const Explored explored = bounded(two_threads(a, b), bound, false);
      EXPECT_EQ(explored.runs, expected) << a << " and " << b << " operations, bound " << bound;
      EXPECT_EQ(explored.up_to(bound), expected) << "each schedule once";
    }
  }
  // By hand: 3 and 3 operations have 2 schedules without a preemption, 4 with one, and 20 in all.
  EXPECT_EQ(two_thread_schedules(3, 3, 0), 2u);
  EXPECT_EQ(two_thread_schedules(3, 3, 1), 4u);
  EXPECT_EQ(bounded(two_threads(3, 3), 10, false).runs, choose(6, 3));
}

TEST(Bounded, FindsExactlyTheSchedulesThatBruteForceFinds) {
  struct Case {
    const char* name;
    toy::Program program;
  };
  for (const Case& c : {Case{"two_locks", toy::two_locks()}, Case{"lost_update", toy::lost_update()},
                        Case{"child_first", toy::child_first()}, Case{"lost_wakeup", toy::lost_wakeup()},
                        Case{"try_lock_skips", toy::try_lock_skips()}, Case{"double_fetch", toy::double_fetch()}}) {
    for (uint32_t bound = 0; bound <= 2; ++bound) {
      Explored all;
      brute_force(c.program, {}, 3, bound, all);
      const Explored explored = bounded(c.program, bound, false);
      EXPECT_EQ(explored.runs, all.runs) << c.name << " bound " << bound;
      EXPECT_EQ(explored.schedules, all.schedules) << c.name << " bound " << bound;
      EXPECT_EQ(explored.failures, all.failures);
    }
  }
}

TEST(Bounded, TheReductionKeepsEveryOrderAndEveryFailureOfTheBound) {
  for (auto kernels : {toy::buggy_kernels(), toy::correct_kernels()}) {
    for (const toy::Kernel& kernel : kernels) {
      if (kernel.program.bodies.size() > 4) continue;
      for (uint32_t bound = 0; bound <= 2; ++bound) {
        if (kernel.program.bodies.size() > 3 && bound > 1) continue;
        const Explored all = bounded(kernel.program, bound, false);
        Bounded::Account account;
        const Explored reduced = bounded(kernel.program, bound, true, &account);
        EXPECT_EQ(reduced.failures, all.failures) << kernel.name << " bound " << bound;
        EXPECT_EQ(reduced.orders, all.orders) << kernel.name << " bound " << bound;
        EXPECT_LE(reduced.runs, all.runs);
      }
    }
  }
}

TEST(Bounded, TheReductionSavesRunsWhereThreadsAreIndependent) {
  const Explored all = bounded(toy::independent(2, 3), 2, false);
  const Explored reduced = bounded(toy::independent(2, 3), 2, true);
  EXPECT_LT(reduced.runs * 2, all.runs);
  EXPECT_EQ(all.orders.size(), reduced.orders.size());
}

TEST(Bounded, AFairOrderMakesASpinningProgramFinite) {
  const Explored explored = bounded(toy::spin_flag(), 2, false);
  EXPECT_TRUE(explored.failures.empty());
  EXPECT_GT(explored.runs, 2u);
}

TEST(Bounded, EnumeratesWhichWaiterASignalWakes) {
  const Explored explored = bounded(toy::two_waiters(), 0, false);
  EXPECT_TRUE(explored.failures.contains("assert: the second waiter came first"));
}

TEST(Check, ProvesASmallCorrectProgramAndSaysWhatItDid) {
  const toy::Program program = toy::safe_counter(2);
  DirectExecutor executor([&](const Plan& plan) { return program.run(plan); });
  CheckOptions options;
  options.bound = 2;
  options.find.executions = 100'000;
  const CheckResult result = check({}, executor, options);
  EXPECT_TRUE(result.proved()) << result.certificate.open;
  EXPECT_EQ(result.certificate.bound, 2u);
  EXPECT_EQ(result.certificate.complete, 3u);
  EXPECT_EQ(result.certificate.schedules, result.found.executions);
  EXPECT_GT(result.certificate.sites, 5u);
}

TEST(Check, AFailureOrAnUnfinishedSearchIsNoProof) {
  const toy::Program buggy = toy::lost_update();
  DirectExecutor executor([&](const Plan& plan) { return buggy.run(plan); });
  CheckOptions options;
  options.bound = 1;
  EXPECT_FALSE(check({}, executor, options).proved());
  EXPECT_TRUE(check({}, executor, options).found.found());
  options.bound = 0;
  EXPECT_TRUE(check({}, executor, options).proved()) << "without a preemption no update is lost";

  const toy::Program correct = toy::safe_counter(3);
  DirectExecutor again([&](const Plan& plan) { return correct.run(plan); });
  options.bound = 2;
  options.find.executions = 10;
  const CheckResult cut = check({}, again, options);
  EXPECT_FALSE(cut.certificate.exhausted);
  EXPECT_FALSE(cut.proved());
}

}  // namespace
}  // namespace heddle::test
