// Tinertia against the paper's own example (Jalbert & Sen 2010, Figures 1-5), its operations and its rules of validity.
#include <gtest/gtest.h>

#include "simplify/schedule.h"
#include "simplify/simplify.h"
#include "toy/toy.h"
#include "trace/error.h"
#include "trace/executor.h"

namespace heddle::test {
namespace {

using namespace toy;  // NOLINT: the vocabulary of toy programs

constexpr ThreadId kT1 = kMainThread;
constexpr ThreadId kT2 = child_thread(kMainThread, 1);
constexpr int kFlag = 0;
constexpr int kX = 1;

// Figure 1. T1: flag = 1; x = 1; if (x == 3) error();   T2: while (!flag) sleep(); x = 3; flag = 0;
// sleep() is a yield here: the paper's threads leave it whenever they are scheduled.
Program figure1() {
  Program p;
  p.together = true;
  const Step error = write(2, [](Run& run) { run.fail("error"); });
  p.bodies = {{store(kFlag, 1), store(kX, 1), read(kX, [](Run& run) { run.jump(run.vars[kX] == 3 ? 3 : 4); }), error},
              {read(kFlag, [](Run& run) { run.jump(run.vars[kFlag] != 0 ? 2 : 1); }), toy::yield(), store(kX, 3), store(kFlag, 0)}};
  p.bodies[1][1].act = [](Run& run) { run.jump(0); };
  return p;
}

Trace strictly(const Program& program, std::vector<Slice> slices) {
  Plan plan;
  plan.strictness = Strictness::kStrict;
  plan.slices = std::move(slices);
  return program.run(plan);
}

Trace figure2(const Program& p) { return strictly(p, {{kT2, 2}, {kT1, 1}, {kT2, 3}, {kT1, 2}, {kT2, 4}, {kT1, 3}, {kT2, 5}, {kT1, 4}}); }

SimplifyResult tinertia(const Program& program, const Trace& failing, size_t executions = 0) {
  DirectExecutor executor([&](const Plan& plan) { return program.run(plan); });
  SimplifyOptions options;
  options.algorithm = "tinertia";
  options.max_executions = executions;
  return simplify::simplify(
      failing, [&](const Trace& t) { return same_bug(failing, t); }, executor, options);
}

const OperationCount& operation(const SimplifyResult& result, const std::string& name) {
  static const OperationCount kNone;
  for (const OperationCount& o : result.operations) {
    if (o.name == name) return o;
  }
  return kNone;
}

TEST(Tinertia, StartsFromTheTraceOfFigure2) {
  const Program p = figure1();
  const Trace start = figure2(p);
  ASSERT_EQ(start.outcome().kind, OutcomeKind::kAssert);
  EXPECT_EQ(start.events().size(), 9u);
  EXPECT_EQ(start.switches(), 7u);
}

TEST(Tinertia, RemoveLastGivesFigure3) {
  const Program p = figure1();
  // Actions 9 and then 8: T1's error() is needed, T2's flag = 0 is not.
  const SimplifyResult result = tinertia(p, figure2(p), 2);
  const Schedule figure3 = {{kT2, 1, 2}, {kT1, 1, 1}, {kT2, 3, 3}, {kT1, 2, 2}, {kT2, 4, 4}, {kT1, 3, 4}};
  EXPECT_EQ(schedule_of(result.best), figure3);
  EXPECT_EQ(operation(result, "remove-last-tei").tried, 2u);
  EXPECT_EQ(operation(result, "remove-last-tei").accepted, 1u);
  EXPECT_EQ(operation(result, "remove-last-tei").switches_removed, 2u);
  EXPECT_FALSE(result.finished);
}

TEST(Tinertia, ConsolidateUpGivesFigure4) {
  const Program p = figure1();
  // The rest of Remove Last (actions 7 and 6), stage one at action 2 (rejected; the run executed the whole interval, so there is no stage
  // two), stage one at action 3 (accepted).
  const SimplifyResult result = tinertia(p, figure2(p), 6);
  const Schedule figure4 = {{kT2, 1, 2}, {kT1, 1, 2}, {kT2, 3, 4}, {kT1, 3, 4}};
  EXPECT_EQ(schedule_of(result.best), figure4);
  EXPECT_EQ(operation(result, "move-up-tei").tried, 2u);
  EXPECT_EQ(operation(result, "move-up-tei").accepted, 1u);
  EXPECT_EQ(operation(result, "move-up-tei").switches_removed, 2u);
  EXPECT_EQ(operation(result, "move-up-actions").tried, 0u);
}

TEST(Tinertia, ConsolidateDownGivesFigure5AndTheRoundsEnd) {
  const Program p = figure1();
  const SimplifyResult result = tinertia(p, figure2(p));
  EXPECT_TRUE(result.finished);
  EXPECT_EQ(result.best.switches(), 2u);
  EXPECT_EQ(result.rounds, 2u);
  const auto slices = result.best.slices();
  ASSERT_EQ(slices.size(), 3u);
  EXPECT_EQ(schedule_of(result.best)[0], (Interval{kT1, 1, 2}));
  EXPECT_EQ(schedule_of(result.best)[1].thread, kT2);
  EXPECT_EQ(schedule_of(result.best)[2], (Interval{kT1, 3, 4}));
  // The spin iteration is gone: T2's first operation finds the flag set and the second writes x.
  EXPECT_EQ(result.best.events()[3].op, Op::kStore);
  EXPECT_EQ(operation(result, "move-down-tei").accepted, 1u);
  EXPECT_EQ(operation(result, "move-down-tei").switches_removed, 1u);
  EXPECT_TRUE(same_bug(result.best, figure2(p)));
}

TEST(Schedule, MovesKeepProgramOrderAndMergeNeighbours) {
  const Schedule s = {{1, 1, 2}, {2, 1, 1}, {1, 3, 3}, {2, 2, 5}, {1, 4, 4}};
  EXPECT_EQ(move_up(s, 0), (Schedule{{1, 1, 3}, {2, 1, 5}, {1, 4, 4}}));
  EXPECT_EQ(move_up_actions(s, 1, 3), (Schedule{{1, 1, 2}, {2, 1, 3}, {1, 3, 3}, {2, 4, 5}, {1, 4, 4}}));
  EXPECT_EQ(move_down(s, 3), (Schedule{{1, 1, 3}, {2, 1, 5}, {1, 4, 4}}));
  EXPECT_EQ(remove_interval(s, 3), (Schedule{{1, 1, 2}, {2, 1, 1}, {1, 3, 4}}));
  EXPECT_EQ(cost(s), 4u);
}

// A blocked thread gives its slice up (4.2.1 "Disabled Threads"), and stage two extends the first interval up to where it blocked.
TEST(Tinertia, StageTwoMovesWhatTheRejectedRunHadExecuted) {
  Program p;
  p.together = true;
  constexpr int kLock = 0;
  // T2 must lock, and write x, between T1's write and check; T1 holds the lock over its first step.
  p.bodies = {{lock(kLock), store(kX, 1), unlock(kLock), store(5, 1),
               check(
                   kX, [](const toy::Run& r) { return r.vars.at(kX) != 3; }, "x is 3")},
              {store(6, 1), store(7, 1), lock(kLock), store(kX, 3), unlock(kLock)}};
  const Trace failing = strictly(p, {{kT2, 1}, {kT1, 2}, {kT2, 2}, {kT1, 4}, {kT2, 5}, {kT1, 5}});
  ASSERT_EQ(failing.outcome().kind, OutcomeKind::kAssert);
  const SimplifyResult result = tinertia(p, failing);
  EXPECT_EQ(result.best.switches(), 2u);
  EXPECT_TRUE(same_bug(result.best, failing));
}

TEST(Tinertia, ValidOnlyIfTheRunCostsNoMoreThanPlanned) {
  // Removing T2's only interval still ends in the bug, because the tail runs T2 - but at the cost of the removed switch.
  Program p;
  p.together = true;
  p.bodies = {{store(kX, 1), sem_wait(0),
               check(
                   kX, [](const toy::Run& r) { return r.vars.at(kX) == 1; }, "x was changed")},
              {store(kX, 2), sem_post(0)}};
  const Trace failing = strictly(p, {{kT1, 1}, {kT2, 2}, {kT1, 3}});
  ASSERT_EQ(failing.outcome().kind, OutcomeKind::kAssert);
  const SimplifyResult result = tinertia(p, failing);
  EXPECT_EQ(operation(result, "remove-last-tei").accepted, 0u);
  EXPECT_EQ(result.best.switches(), 2u);
}

TEST(Tinertia, StopsAtTheFlag) {
  const Program p = figure1();
  std::atomic<bool> stop{true};
  DirectExecutor executor([&](const Plan& plan) { return p.run(plan); });
  SimplifyOptions options;
  options.algorithm = "tinertia";
  options.stop = &stop;
  const SimplifyResult result = simplify::simplify(
      figure2(p), [](const Trace&) { return true; }, executor, options);
  EXPECT_EQ(result.executions, 0u);
  EXPECT_FALSE(result.finished);
  EXPECT_EQ(result.best.switches(), 7u);
}

TEST(Simplify, RejectsAnUnknownAlgorithm) {
  DirectExecutor executor([](const Plan&) { return Trace(); });
  SimplifyOptions options;
  options.algorithm = "no-such-pass";
  EXPECT_THROW(simplify::simplify(
                   Trace(), [](const Trace&) { return true; }, executor, options),
               Error);
}

// Figure 1 with x = 0 where the paper has flag = 0: a thread that need not spin any more and is counted on would go too far.
TEST(Tinertia, AThreadThatLeavesItsPathRunsUntilItRejoinsIt) {
  Program p = figure1();
  p.bodies[1][3] = store(kX, 0);
  const Trace start = figure2(p);
  ASSERT_EQ(start.outcome().kind, OutcomeKind::kAssert);
  const SimplifyResult result = tinertia(p, start);
  EXPECT_TRUE(same_bug(result.best, start));
  EXPECT_EQ(result.best.switches(), 2u);
}

}  // namespace
}  // namespace heddle::test
