// Whole-thread removal (LEAN 3.1) on toy programs where the needed threads are known.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

#include "effort.h"
#include "simplify/reduce.h"
#include "simplify_programs.h"
#include "toy/toy.h"
#include "trace/executor.h"

namespace heddle::test {
namespace {

using toy::check;
using toy::create;
using toy::join;
using toy::load;
using toy::lock;
using toy::store;
using toy::store_reg;
using toy::unlock;

ReduceResult reduced(const toy::Program& program, const Trace& failing, size_t executions = 0) {
  DirectExecutor executor([&](const Plan& plan) { return program.run(plan); });
  ReduceOptions options;
  options.max_executions = executions;
  return reduce(
      failing, [&](const Trace& t) { return same_bug(failing, t); }, executor, options);
}

Trace follow(const toy::Program& program, std::vector<Slice> slices) {
  Plan plan;
  plan.slices = std::move(slices);
  return program.run(plan);
}

ThreadId child(uint32_t n) { return child_thread(kMainThread, n); }

// Each thread adds two elements to a list without a lock, and then checks that no element vanished.
toy::Program array_list(int threads) {
  toy::Program p;
  std::vector<toy::Step> main;
  for (int t = 1; t <= threads; ++t) main.push_back(create(t));
  for (int t = 1; t <= threads; ++t) main.push_back(join(t));
  p.bodies.push_back(main);
  auto shrank = [](const toy::Run& r) { return r.vars.at(0) > r.registers.at({r.current, 0}); };
  for (int t = 1; t <= threads; ++t) {
    p.bodies.push_back({load(0, 0), store_reg(0, 0, 1), load(0, 0), store_reg(0, 0, 1), check(0, shrank, "the list shrank")});
  }
  p.event_limit = 100'000;
  return p;
}

// a reads, b adds twice, a writes what it read, b finds the list shorter. Everybody before them runs undisturbed.
Trace interleaved(const toy::Program& p, uint32_t threads, uint32_t a, uint32_t b) {
  std::vector<Slice> slices = {{kMainThread, threads + 1}};
  for (uint32_t t = 1; t <= threads; ++t) {
    if (t != a && t != b) slices.push_back({child(t), 100});
  }
  slices.insert(slices.end(), {{child(a), 2}, {child(b), 5}, {child(a), 3}, {child(b), 100}});
  return follow(p, slices);
}

TEST(Reduce, KeepsTheTwoThreadsThatInterleave) {
  const toy::Program p = array_list(10);
  const Trace failing = interleaved(p, 10, 3, 8);
  ASSERT_EQ(failing.outcome().kind, OutcomeKind::kAssert);
  const ReduceResult result = reduced(p, failing);
  EXPECT_TRUE(result.finished);
  EXPECT_FALSE(result.sequential_bug);
  EXPECT_EQ(result.best.counts().threads, 3u);
  EXPECT_EQ(result.removed.size(), 8u);
  EXPECT_TRUE(same_bug(result.best, failing));
  // The trace carries what was removed, so that it can be replayed strictly.
  const Trace again = p.run(plan_of(result.best));
  EXPECT_EQ(first_difference(again, result.best), kNoDifference);
}

TEST(Reduce, FindsTwoOf450InAtMost18Rounds) {
  std::vector<size_t> rounds;
  const toy::Program p = array_list(450);
  for (uint64_t seed = 1; seed <= repetitions(30); ++seed) {
    const uint32_t a = 1 + static_cast<uint32_t>(mix(seed, 1) % 450);
    const uint32_t b = 1 + static_cast<uint32_t>(mix(seed, 2) % 450);
    if (a == b) continue;
    const ReduceResult result = reduced(p, interleaved(p, 450, a, b));
    EXPECT_EQ(result.best.counts().threads, 3u);
    rounds.push_back(result.rounds);
  }
  std::sort(rounds.begin(), rounds.end());
  EXPECT_LE(rounds[rounds.size() / 2], 18u);
}

// As LEAN's ArrayList: every operation is locked; one thread copies the list element by element, one empties it, all others only look.
// Found by a random walk, so that every thread stands beside preemptions.
toy::Program locked_list(int threads, int copier, int emptier) {
  toy::Program p;
  std::vector<toy::Step> main;
  for (int t = 1; t <= threads; ++t) main.push_back(create(t));
  for (int t = 1; t <= threads; ++t) main.push_back(join(t));
  p.bodies.push_back(main);
  for (int t = 1; t <= threads; ++t) p.bodies.push_back({lock(1), load(0, 0), unlock(1)});
  auto still_there = [](const toy::Run& r) {
    const auto emptied = r.vars.find(0);
    return emptied == r.vars.end() || emptied->second == r.registers.at({r.current, 0});
  };
  p.bodies[static_cast<size_t>(copier)] = {lock(1), load(0, 0), unlock(1), lock(1), check(0, still_there, "gone"), unlock(1)};
  p.bodies[static_cast<size_t>(emptier)] = {lock(1), store(0, 1), unlock(1)};
  p.event_limit = 100'000;
  return p;
}

TEST(Reduce, FindsTwoOfManyInARandomWalk) {
  for (const auto& [copier, emptier] : {std::pair{60, 90}, std::pair{90, 60}}) {
    const toy::Program p = locked_list(100, copier, emptier);
    const auto failing = toy::random_failure(p, 3);
    ASSERT_TRUE(failing);
    const ReduceResult result = reduced(p, *failing);
    EXPECT_EQ(result.best.counts().threads, 3u) << copier;
    EXPECT_LE(result.rounds, 18u) << copier;
  }
}

TEST(Reduce, BisectsWhereTheSuspectsDoNotSuffice) {
  // The 40th thread's write matters although no preemption stands beside it.
  toy::Program p = array_list(64);
  p.bodies[40] = {store(5, 1)};
  for (size_t t : {10u, 20u})
    p.bodies[t].back() = check(
        0,
        [](const toy::Run& r) {
          const auto at = r.vars.find(5);
          return at == r.vars.end() || at->second == 0 || r.vars.at(0) > r.registers.at({r.current, 0});
        },
        "the list shrank");
  const Trace failing = interleaved(p, 64, 10, 20);
  ASSERT_EQ(failing.outcome().kind, OutcomeKind::kAssert);
  const ReduceResult result = reduced(p, failing);
  EXPECT_EQ(result.best.counts().threads, 4u);
  EXPECT_LE(result.rounds, 40u);
}

TEST(Reduce, GoesDownTheTreeOfBirths) {
  // Thread 1 creates the two that matter and three that do not; thread 2 creates two idle ones.
  toy::Program p;
  auto shrank = [](const toy::Run& r) { return r.vars.at(0) > r.registers.at({r.current, 0}); };
  const std::vector<toy::Step> adder = {load(0, 0), store_reg(0, 0, 1), load(0, 0), store_reg(0, 0, 1),
                                        check(0, shrank, "the list shrank")};
  p.bodies = {{create(1), create(2), join(1), join(2)},
              {create(3), create(4), create(5), create(6), create(7), join(3), join(4), join(5), join(6), join(7)},
              {create(8), create(9), join(8), join(9)},
              adder,
              adder,
              adder,
              adder,
              adder,
              {store(20, 1)},
              {store(21, 1)}};
  const ThreadId one = child(1), two = child(2);
  const Trace failing = follow(p, {{kMainThread, 3},
                                   {two, 100},
                                   {child_thread(two, 1), 100},
                                   {child_thread(two, 2), 100},
                                   {two, 100},
                                   {one, 6},
                                   {child_thread(one, 1), 100},
                                   {child_thread(one, 2), 2},
                                   {child_thread(one, 4), 5},
                                   {child_thread(one, 2), 3},
                                   {child_thread(one, 4), 100}});
  ASSERT_EQ(failing.outcome().kind, OutcomeKind::kAssert);
  const ReduceResult result = reduced(p, failing);
  EXPECT_EQ(result.best.counts().threads, 4u);  // main, 1, 1.2, 1.4
  EXPECT_TRUE(same_bug(result.best, failing));
}

TEST(Reduce, RefusesARemovalThatBreaksTheProgram) {
  // Without thread 1 the check fails whatever the schedule: the second condition of the criterion keeps it.
  toy::Program p;
  auto ready = [](const toy::Run& r) { return r.vars.contains(1) && r.vars.at(1) == 7 && r.vars.at(0) != 1; };
  p.bodies = {{create(1), join(1), create(2), create(3), join(2), join(3)},
              {store(1, 7)},
              {store(0, 1), store(0, 0)},
              {check(0, ready, "not ready")}};
  const Trace failing = follow(p, {{kMainThread, 2}, {child(1), 100}, {kMainThread, 5}, {child(2), 2}, {child(3), 100}});
  ASSERT_EQ(failing.outcome().kind, OutcomeKind::kAssert);
  const ReduceResult result = reduced(p, failing);
  EXPECT_FALSE(result.sequential_bug);
  EXPECT_TRUE(result.removed.empty());
}

TEST(Reduce, DoesNotMindAnotherFailureAfterTheCheck) {
  // Main counts its threads at the end: with one removed that fails in every schedule, and long after the check has been passed.
  toy::Program p = array_list(6);
  p.bodies[0].push_back(check(
      9, [](const toy::Run& r) { return r.vars.at(8) == 6; }, "a thread is missing"));
  for (size_t t = 1; t <= 6; ++t) p.bodies[t].insert(p.bodies[t].begin(), {lock(3), load(8, 5), store_reg(8, 5, 1), unlock(3)});
  std::vector<Slice> slices = {{kMainThread, 7}};
  for (uint32_t t : {1, 3, 4, 6}) slices.push_back({child(t), 100});
  slices.insert(slices.end(), {{child(2), 6}, {child(5), 9}, {child(2), 7}, {child(5), 100}});
  const Trace failing = follow(p, slices);
  ASSERT_EQ(failing.outcome().message, "the list shrank");
  const ReduceResult result = reduced(p, failing);
  EXPECT_EQ(result.best.counts().threads, 3u);
  EXPECT_TRUE(same_bug(result.best, failing));
}

TEST(Reduce, SaysSoWhenTheBugNeedsNoInterleaving) {
  toy::Program p;
  p.bodies = {{create(1), create(2), join(1), join(2)},
              {check(
                  0, [](const toy::Run&) { return false; }, "always")},
              {store(5, 1)}};
  const Trace failing = follow(p, {{kMainThread, 3}, {child(2), 100}, {child(1), 100}});
  const ReduceResult result = reduced(p, failing);
  EXPECT_TRUE(result.sequential_bug);
  EXPECT_EQ(result.best.counts().threads, 2u);
}

TEST(Reduce, KeepsADeadlockBySitesOfItsCycle) {
  const toy::Program p = toy::lock_cycle(6, 1);
  const auto failing = toy::random_failure(p, 7);
  ASSERT_TRUE(failing);
  const ReduceResult result = reduced(p, *failing);
  EXPECT_EQ(result.best.counts().threads, 3u);
  EXPECT_TRUE(same_bug(result.best, *failing));
}

TEST(Reduce, LeavesTheBestSoFarWhenCut) {
  const toy::Program p = array_list(10);
  const Trace failing = interleaved(p, 10, 3, 8);
  const ReduceResult result = reduced(p, failing, 3);
  EXPECT_LE(result.executions, 3u);
  EXPECT_FALSE(result.finished);
  EXPECT_TRUE(same_bug(result.best, failing));
}

// --- Iterations (LEAN 3.2.2).

constexpr LoopId kLoop = 72;

// Two threads that repeat: take a number, and in iterations from `late` on check that nobody took one in between.
toy::Program drivers(int iterations, int late, int threads = 2) {
  toy::Program p;
  std::vector<toy::Step> main;
  for (int t = 1; t <= threads; ++t) main.push_back(create(t));
  for (int t = 1; t <= threads; ++t) main.push_back(join(t));
  p.bodies.push_back(main);
  auto undisturbed = [](const toy::Run& r) { return r.vars.at(0) == r.registers.at({r.current, 0}) + 1; };
  for (int t = 1; t <= threads; ++t) {
    std::vector<toy::Step> body = {load(7, 1)};
    for (int i = 1; i <= iterations; ++i) {
      p.blocks.push_back({t, body.size(), body.size() + 2, kLoop});
      body.push_back(load(0, 0));
      body.push_back(store_reg(0, 0, 1));
      body.push_back(i >= late ? check(0, undisturbed, "lost") : load(0, 2));
    }
    body.push_back(load(8, 1));
    p.bodies.push_back(body);
  }
  p.event_limit = 100'000;
  p.code.push_back(0);
  for (int t = 1; t <= threads; ++t) p.code.push_back(1);
  return p;
}

// Thread 1 in its iteration `i` is interrupted between writing and checking, by thread 2's iteration `k`.
Trace disturbed(const toy::Program& p, uint32_t i, uint32_t k) {
  return follow(p, {{kMainThread, 3},
                    {child(2), 2 + 3 * (k - 1)},
                    {child(1), 2 + 3 * (i - 1) + 2},
                    {child(2), 2 + 3 * (k - 1) + 2},
                    {child(1), 100'000}});
}

std::vector<uint64_t> numbers_left(const ReduceResult& result, ThreadId thread) {
  std::vector<uint64_t> numbers;
  for (const LoopUse& use : result.left) {
    for (const IterationPart& part : use.parts) {
      for (uint64_t n = part.first; use.thread == thread && n <= part.last; ++n) numbers.push_back(n);
    }
  }
  return numbers;
}

TEST(ReduceIterations, LeavesOneIterationOfEachThread) {
  const toy::Program p = drivers(10, 7);
  const Trace failing = disturbed(p, 8, 4);
  ASSERT_EQ(failing.outcome().message, "lost");
  const ReduceResult result = reduced(p, failing);
  EXPECT_EQ(numbers_left(result, child(1)), std::vector<uint64_t>{8});
  EXPECT_EQ(numbers_left(result, child(2)), std::vector<uint64_t>{4});
  EXPECT_LE(result.by_iterations.rounds, 10u);  // the paper's Fig. 9
  EXPECT_TRUE(result.in_turn.reached && result.in_turn.passed);
  EXPECT_TRUE(same_bug(result.best, failing));
  const Trace again = p.run(plan_of(result.best));
  EXPECT_EQ(first_difference(again, result.best), kNoDifference);
}

TEST(ReduceIterations, FindsTheNeededOnesAmongManyInFewRounds) {
  const toy::Program p = drivers(1000, 900);
  const Trace failing = disturbed(p, 950, 17);
  ASSERT_EQ(failing.outcome().message, "lost");
  const ReduceResult result = reduced(p, failing);
  EXPECT_EQ(numbers_left(result, child(1)), std::vector<uint64_t>{950});
  EXPECT_EQ(numbers_left(result, child(2)), std::vector<uint64_t>{17});
  EXPECT_LE(result.by_iterations.rounds, 40u);
}

// An iteration that initialises: without it the check fails in every schedule, so that the second condition keeps it.
TEST(ReduceIterations, KeepsTheIterationThatInitialises) {
  toy::Program p = drivers(10, 7);
  p.bodies[1][1 + 3 * 2] = store(5, 1);  // iteration 3 of thread 1, first step
  for (size_t i = 6; i < 10; ++i) {
    auto holds = [](const toy::Run& r) { return r.vars.contains(5) && r.vars.at(0) == r.registers.at({r.current, 0}) + 1; };
    p.bodies[1][1 + 3 * i + 2] = check(0, holds, "lost");
  }
  const Trace failing = disturbed(p, 8, 4);
  ASSERT_EQ(failing.outcome().message, "lost");
  const ReduceResult result = reduced(p, failing);
  EXPECT_EQ(numbers_left(result, child(1)), (std::vector<uint64_t>{3, 8}));
  EXPECT_TRUE(result.in_turn.passed);
}

// One that warms a cache: without it the failing iteration goes another way, and does not fail.
TEST(ReduceIterations, KeepsTheIterationThatWarmsACache) {
  toy::Program p = drivers(10, 7);
  p.bodies[1][1] = store(5, 1);  // iteration 1
  for (size_t i = 6; i < 10; ++i) {
    auto holds = [](const toy::Run& r) { return !r.vars.contains(5) || r.vars.at(0) == r.registers.at({r.current, 0}) + 1; };
    p.bodies[1][1 + 3 * i + 2] = check(0, holds, "lost");
  }
  const Trace failing = disturbed(p, 8, 4);
  ASSERT_EQ(failing.outcome().message, "lost");
  const ReduceResult result = reduced(p, failing);
  EXPECT_EQ(numbers_left(result, child(1)), (std::vector<uint64_t>{1, 8}));
}

// One without which the check is not evaluated in a run without interleaving: nothing is known about the bug then.
TEST(ReduceIterations, KeepsTheIterationWithoutWhichTheCheckIsNotReached) {
  toy::Program p = drivers(10, 7);
  // Thread 1 checks only if thread 2's iteration 2 has asked for it; or if it was disturbed.
  p.bodies[2][1 + 3 * 1] = store(5, 1);
  for (size_t i = 6; i < 10; ++i) {
    const size_t at = 1 + 3 * i;
    p.bodies[1][at + 1] = toy::write(0, [at](toy::Run& r) {
      r.vars[0] = r.reg(0) + 1;
      if (!r.vars.contains(5)) r.jump(at + 3);
    });
  }
  const Trace failing = disturbed(p, 8, 4);
  ASSERT_EQ(failing.outcome().message, "lost");
  const ReduceResult result = reduced(p, failing);
  EXPECT_EQ(numbers_left(result, child(2)), (std::vector<uint64_t>{2, 4}));
  EXPECT_TRUE(result.in_turn.reached && result.in_turn.passed);
}

TEST(ReduceIterations, LeavesLoopsThatCreateThreadsAlone) {
  toy::Program p = drivers(10, 7, 6);
  for (size_t i = 0; i < 6; ++i) {
    p.blocks.push_back({0, i, i, 50});
    p.blocks.push_back({0, 6 + i, 6 + i, 51});
  }
  std::vector<Slice> slices = {{kMainThread, 7}, {child(2), 2 + 9}, {child(1), 2 + 21 + 2}, {child(2), 2 + 9 + 2}, {child(1), 1000}};
  const Trace failing = follow(p, slices);
  ASSERT_EQ(failing.outcome().message, "lost");
  const ReduceResult result = reduced(p, failing);
  EXPECT_EQ(result.best.counts().threads, 3u);
  EXPECT_EQ(numbers_left(result, child(1)), std::vector<uint64_t>{8});
  EXPECT_EQ(numbers_left(result, kMainThread).size(), 6u);  // the failure comes before main joins anybody
}

TEST(ReduceIterations, DoesNotDependOnHowManyRunAtOnce) {
  class Wide final : public Executor {
   public:
    Wide(const toy::Program& p, size_t width) : program_(p), width_(width) {}
    void submit(const Plan& plan) override { queue_.push_back(program_.run(plan)); }
    Trace next() override {
      Trace t = queue_.front();
      queue_.pop_front();
      return t;
    }
    size_t outstanding() const override { return queue_.size(); }
    size_t width() const override { return width_; }

   private:
    const toy::Program& program_;
    size_t width_;
    std::deque<Trace> queue_;
  };
  const toy::Program p = drivers(40, 20, 5);
  const Trace failing = follow(
      p, {{kMainThread, 6}, {child(4), 1000}, {child(2), 2 + 9}, {child(1), 2 + 3 * 29 + 2}, {child(2), 2 + 9 + 2}, {child(1), 1000}});
  ASSERT_EQ(failing.outcome().message, "lost");
  std::vector<ReduceResult> results;
  for (size_t width : {1, 3, 8}) {
    Wide executor(p, width);
    results.push_back(reduce(failing, [&](const Trace& t) { return same_bug(failing, t); }, executor, {}));
  }
  for (const ReduceResult& r : results) {
    EXPECT_EQ(first_difference(r.best, results[0].best), kNoDifference);
    EXPECT_EQ(r.executions, results[0].executions);
    EXPECT_EQ(r.rounds, results[0].rounds);
  }
}

TEST(ReduceIterations, LeavesTheBestSoFarWhenCut) {
  const toy::Program p = drivers(100, 70);
  const Trace failing = disturbed(p, 80, 40);
  const size_t all = reduced(p, failing).executions;
  for (size_t most = 1; most < all; ++most) {
    const ReduceResult result = reduced(p, failing, most);
    EXPECT_LE(result.executions, most);
    EXPECT_FALSE(result.finished);
    EXPECT_TRUE(same_bug(result.best, failing));
    EXPECT_EQ(first_difference(p.run(plan_of(result.best)), result.best), kNoDifference);
  }
}

}  // namespace
}  // namespace heddle::test
