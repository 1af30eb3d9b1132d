// Every search finds the small bugs it is made for, the same way for the same seed, and reports nothing in correct programs.
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "search/find.h"
#include "search/lock_cycles.h"
#include "search/make.h"
#include "toy/kernels.h"

namespace heddle::test {
namespace {

FindResult run(const std::string& search_name, const toy::Program& program, uint64_t seed, uint64_t executions, uint32_t depth = 3) {
  SearchOptions options;
  options.seed = seed;
  options.depth = depth;
  const auto search = search_named(search_name)->make(options);
  DirectExecutor executor([&](const Plan& plan) { return program.run(plan); });
  FindOptions find_options;
  find_options.executions = executions;
  return find(*search, executor, find_options);
}

const std::vector<std::pair<std::string, toy::Program>>& small_bugs() {
  static const std::vector<std::pair<std::string, toy::Program>> bugs = {
      {"lost_update", toy::lost_update()}, {"two_locks", toy::two_locks()},       {"publish_first", toy::publish_first()},
      {"child_first", toy::child_first()}, {"double_fetch", toy::double_fetch()}, {"reorder_3", toy::reorder(3)}};
  return bugs;
}

TEST(Strategies, EachFindsTheSmallBugs) {
  for (const SearchRow& row : searches()) {
    if (std::string(row.name) == "sequential") continue;
    for (const auto& [name, program] : small_bugs()) {
      EXPECT_TRUE(run(row.name, program, 3, 3000).found()) << row.name << " on " << name;
    }
  }
}

TEST(Strategies, NoneReportsACorrectProgram) {
  for (const SearchRow& row : searches()) {
    for (const toy::Kernel& kernel : toy::correct_kernels()) {
      const FindResult result = run(row.name, kernel.program, 3, 150);
      EXPECT_FALSE(result.found()) << row.name << " on " << kernel.name;
      EXPECT_EQ(result.inconclusive, 0u) << row.name << " on " << kernel.name;
    }
  }
}

TEST(Strategies, TheSameSeedGivesTheSameProposals) {
  for (const SearchRow& row : searches()) {
    const FindResult a = run(row.name, toy::reorder(4), 9, 40);
    const FindResult b = run(row.name, toy::reorder(4), 9, 40);
    EXPECT_EQ(a.executions, b.executions) << row.name;
    EXPECT_EQ(a.last.schedules, b.last.schedules) << row.name;
    EXPECT_EQ(a.last.behaviours, b.last.behaviours) << row.name;
  }
}

TEST(Strategies, EachNamesItsPaper) {
  std::set<std::string> names;
  for (const SearchRow& row : searches()) {
    EXPECT_TRUE(names.insert(row.name).second);
    EXPECT_FALSE(std::string(row.words).empty());
    EXPECT_FALSE(std::string(row.paper).empty());
  }
  EXPECT_EQ(search_named("nothing"), nullptr);
}

TEST(Sequential, IsOneExecutionWithoutPreemption) {
  const FindResult result = run("sequential", toy::lost_update(), 1, 100);
  EXPECT_EQ(result.executions, 1u);
  EXPECT_TRUE(result.exhausted);
}

// Two threads of a and b operations that never block: without delays one schedule, and one more for each step of the first thread, at
// which alone two threads may run.
TEST(Delay, CountsTheSchedulesOfTwoThreads) {
  for (int a : {2, 3, 5}) {
    toy::Program p;
    p.together = true;
    p.bodies = {std::vector<toy::Step>(static_cast<size_t>(a), toy::store(1, 0)), {toy::store(1, 1), toy::store(1, 2)}};
    p.bodies[0].push_back(toy::join(1));
    EXPECT_EQ(run("delay", p, 1, 10'000, 0).executions, 1u);
    const FindResult one = run("delay", p, 1, 10'000, 1);
    EXPECT_TRUE(one.exhausted);
    EXPECT_EQ(one.executions, 1u + static_cast<size_t>(a));
    EXPECT_EQ(one.last.schedules, 1u + static_cast<size_t>(a)) << "all different";
  }
}

// Every order of the conflicting operations is a sequence of periods.
TEST(Period, ExhaustsTheOrdersOfConflictingOperations) {
  const FindResult result = run("period", toy::shared_writers(2, 2), 1, 10'000);
  EXPECT_TRUE(result.exhausted);
  EXPECT_EQ(result.last.schedules, 6u) << "4! / (2! 2!)";
}

TEST(Gaussian, FindsAFailureNearAPassingRun) {
  // The passing run switches close to the failing window.
  const toy::Program program = toy::publish_first();
  Plan plan;
  plan.tail.kind = PolicyKind::kFifo;
  plan.steps = {9};
  const Trace passing = program.run(plan);
  ASSERT_FALSE(is_failure(passing.outcome()));
  ASSERT_GT(passing.preemptions(), 0u);
  SearchOptions options;
  options.around = passing;
  const auto search = search_named("gaussian")->make(options);
  DirectExecutor executor([&](const Plan& p) { return program.run(p); });
  FindOptions find_options;
  find_options.executions = 100;
  EXPECT_TRUE(find(*search, executor, find_options).found());
}

TEST(LockCycles, SeesARingThatDidNotCloseAndNoneUnderACommonLock) {
  EXPECT_EQ(lock_cycles(toy::two_locks().run({})).size(), 1u);
  const auto rings = lock_cycles(toy::philosophers(5).run({}));
  ASSERT_EQ(rings.size(), 1u);
  EXPECT_EQ(rings[0].size(), 5u);
  const toy::Program gated = toy::threads({{toy::lock(9), toy::lock(1), toy::lock(2), toy::unlock(2), toy::unlock(1), toy::unlock(9)},
                                           {toy::lock(9), toy::lock(2), toy::lock(1), toy::unlock(1), toy::unlock(2), toy::unlock(9)}});
  EXPECT_TRUE(lock_cycles(gated.run({})).empty());
}

TEST(Portfolio, NeedsFewSchedulesOnTheClassicBugs) {
  // The systematic part does not depend on the seed: these are exact.
  const std::map<std::string, size_t> most = {{"lost_update", 2},  {"reorder_3", 2},   {"reorder_20", 2},      {"two_stage_2", 2},
                                              {"two_stage_20", 3}, {"two_locks", 2},   {"philosophers_3", 2},  {"philosophers_5", 2},
                                              {"double_fetch", 3}, {"lost_wakeup", 1}, {"publish_first", 2},   {"child_first", 2},
                                              {"ping_pong", 5},    {"two_waiters", 2}, {"semaphore_order", 3}, {"try_lock_skips", 2}};
  for (const toy::Kernel& kernel : toy::buggy_kernels()) {
    const auto it = most.find(kernel.name);
    for (uint64_t seed = 1; seed <= 3; ++seed) {
      const FindResult result = run("portfolio", kernel.program, seed, 100);
      ASSERT_TRUE(result.found()) << kernel.name;
      EXPECT_LE(result.executions, it == most.end() ? 10 : it->second) << kernel.name << " seed " << seed;
    }
  }
}

TEST(Portfolio, NeverRunsOutOfSchedulesToTry) {
  // Small programs, whose reversals are all tried soon: what waits then may only repeat what was handed out.
  const auto look = [] { return toy::read(1, [](toy::Run&) {}); };
  const std::vector<std::pair<std::string, toy::Program>> small = {
      {"a writer and a reader", toy::threads({{toy::store(1, 1)}, {look()}})},
      {"reads and writes", toy::threads({{look(), toy::store(1, 1)}, {look(), toy::store(1, 2)}})},
      {"and main looks", toy::threads({{toy::store(1, 1)}, {toy::store(1, 2)}}, {look()})},
      {"three of them", toy::threads({{look(), toy::store(1, 1)}, {look()}, {toy::store(1, 2), look()}})},
      {"two writers", toy::shared_writers(2, 1)},
      {"two writers twice", toy::shared_writers(2, 2)},
      {"three writers", toy::shared_writers(3, 1)},
      {"three writers twice", toy::shared_writers(3, 2)}};
  for (const auto& [name, program] : small) {
    for (uint64_t seed = 1; seed <= 3; ++seed) {
      const FindResult result = run("portfolio", program, seed, 200);
      EXPECT_EQ(result.executions, 200u) << name << " seed " << seed;
      EXPECT_FALSE(result.exhausted) << name << " seed " << seed;
    }
  }
}

// Sixteen operations of two threads must strictly alternate, and each step is to be seen in a variable: a walk that starts from the
// beginning each time would need tens of thousands of runs, one that comes back to what it has reached a few for each step.
TEST(Frontier, FindsStepByStepWhatNoWalkFindsAtOnce) {
  constexpr int kSteps = 8;
  std::vector<toy::Step> first, second;
  auto advance = [](int from) {
    return toy::write(1, [from](toy::Run& r) {
      if (r.vars[1] == from) ++r.vars[1];
      r.value = static_cast<uint64_t>(r.vars[1]);
      if (r.vars[1] == 2 * kSteps) r.fail("all steps taken");
    });
  };
  for (int i = 0; i < kSteps; ++i) {
    first.push_back(advance(2 * i));
    second.push_back(advance(2 * i + 1));
  }
  const toy::Program program = toy::threads({first, second});
  for (uint64_t seed : {1, 2}) {
    EXPECT_TRUE(run("frontier", program, seed, 1500).found()) << seed;
    EXPECT_FALSE(run("random", program, seed, 1500).found()) << seed;
  }
}

TEST(Portfolio, FindsABugThatNeedsManyRacesToGoOneWay) {
  // Eight reads, each of which must see the other thread's latest write: far from any single reversal.
  std::vector<toy::Step> writer, reader;
  for (int i = 1; i <= 4; ++i) {
    writer.push_back(toy::store(1, i));
    reader.push_back(toy::read(1, [i](toy::Run& r) {
      if (r.vars[1] == i) ++r.reg(7);
      if (r.reg(7) == 4) r.fail("all four values seen");
    }));
  }
  const FindResult result = run("portfolio", toy::threads({writer, reader}), 1, 3000);
  EXPECT_TRUE(result.found());
}

}  // namespace
}  // namespace heddle::test
