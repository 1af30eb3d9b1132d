// The contract on toy programs: what an event, a slice, a count and a plan mean (docs/design.md, "The contract").
#include <gtest/gtest.h>

#include "policy/director.h"
#include "toy/toy.h"
#include "trace/trace.h"
#include "wire/servers.h"

namespace heddle::test {
namespace {

using namespace toy;

constexpr int kX = 1;
constexpr int kM = 10;
constexpr int kC = 20;

// main creates two threads and joins them; each increments x non-atomically.
Program lost_update() {
  Program p;
  const std::vector<Step> increment = {load(kX, 0), store_reg(kX, 0, 1)};
  p.bodies = {{create(1), create(2), join(1), join(2),
               check(
                   kX, [](const Run& r) { return r.vars.at(kX) == 2; }, "x == 2")},
              increment,
              increment};
  return p;
}

Plan stay() { return Plan{}; }

TEST(Ids, ThreadNamesAreFunctionsOfThePathOfBirths) {
  const ThreadId first = child_thread(kMainThread, 1);
  EXPECT_NE(first, child_thread(kMainThread, 2));
  EXPECT_NE(child_thread(first, 1), child_thread(child_thread(kMainThread, 2), 1));
  EXPECT_EQ(first, child_thread(kMainThread, 1));
}

TEST(Ids, SitesCarryModuleAndOffset) {
  const SiteId site = make_site(3, 0x1234);
  EXPECT_EQ(site_module(site), 3u);
  EXPECT_EQ(site_offset(site), 0x1234u);
  EXPECT_NE(make_site(0, 0), kNoSite);
}

TEST(Ids, ObjectNamesCarryTheirKind) {
  EXPECT_EQ(object_kind(make_object(ObjectKind::kHeap, 7, 9, 16)), ObjectKind::kHeap);
  EXPECT_NE(make_object(ObjectKind::kHeap, 7, 9, 16), make_object(ObjectKind::kHeap, 7, 9, 24));
}

TEST(Ops, EveryRowHasANameAndWords) {
  for (const OpRow& r : kOps) {
    EXPECT_STRNE(r.name, "");
    EXPECT_STRNE(r.words, "");
  }
  EXPECT_STREQ(row(Op::kMutexLock).name, "MutexLock");
  EXPECT_TRUE(has(Op::kSleep, kYields));
  EXPECT_FALSE(has(Op::kMutexUnlock, kBlocks));
}

TEST(Counting, AThreadsFirstOperationIsItsStartAndItsLastItsExit) {
  const Trace t = lost_update().run(stay());
  for (uint32_t thread = 0; thread < 3; ++thread) {
    std::vector<Event> own;
    for (const Event& e : t.events()) {
      if (e.thread == thread) own.push_back(e);
    }
    EXPECT_EQ(own.front().op, Op::kThreadStart);
    EXPECT_EQ(own.front().number, 1u);
    EXPECT_EQ(own.back().op, Op::kThreadExit);
    EXPECT_EQ(own.back().number, own.size());
  }
}

TEST(Counting, TheSequentialRunHasNoPreemption) {
  const Trace t = lost_update().run(stay());
  EXPECT_EQ(t.outcome().kind, OutcomeKind::kExit);
  EXPECT_EQ(t.counts().preemptions, 0u);
  EXPECT_EQ(t.counts().switches, 3u);  // main blocks, first ends, second ends
  EXPECT_EQ(t.counts().threads, 3u);
}

TEST(Counting, ASwitchAwayFromAnEnabledThreadIsAPreemption) {
  const ThreadId one = child_thread(kMainThread, 1);
  const ThreadId two = child_thread(kMainThread, 2);
  Plan plan;
  plan.slices = {{kMainThread, 3}, {one, 2}, {two, 4}, {one, 4}};  // one: start, load | two: all | one: store, exit
  const Trace t = lost_update().run(plan);
  EXPECT_EQ(t.outcome().kind, OutcomeKind::kAssert);
  EXPECT_EQ(t.counts().switches, 4u);
  EXPECT_EQ(t.counts().preemptions, 1u);
  EXPECT_EQ(t.counts().preemptions_paper, 1u);
}

TEST(Counting, ASwitchAfterAYieldIsNoPreemptionButThePapersRuleCountsIt) {
  Program p;
  p.bodies = {{create(1), yield(), store(kX, 1), join(1)}, {store(kX, 2)}};
  Plan plan;
  plan.slices = {{kMainThread, 3}, {child_thread(kMainThread, 1), 3}, {kMainThread, 6}};
  const Trace t = p.run(plan);
  EXPECT_EQ(t.counts().switches, 2u);
  EXPECT_EQ(t.counts().preemptions, 0u);
  EXPECT_EQ(t.counts().preemptions_paper, 1u);
}

TEST(Counting, ATimedWaitThatCouldTimeOutIsNotPreempted) {
  Program p;
  p.bodies = {{create(1), lock(kM), cond_timed_wait(kC, kM), unlock(kM), join(1)}, {store(kX, 2)}};
  const Trace t = p.run(stay());
  EXPECT_EQ(t.outcome().kind, OutcomeKind::kExit);
  EXPECT_EQ(t.counts().preemptions, 0u);
  EXPECT_EQ(t.counts().preemptions_paper, 1u);
}

TEST(Operations, AConditionWaitIsTwoAndABlockedAttemptIsNone) {
  Program p;
  p.bodies = {{create(1), lock(kM), cond_wait(kC, kM), unlock(kM), join(1)}, {lock(kM), signal(kC), unlock(kM)}};
  const Trace t = p.run(stay());
  EXPECT_EQ(t.outcome().kind, OutcomeKind::kExit);
  size_t waits = 0;
  size_t wakes = 0;
  for (const Event& e : t.events()) {
    waits += e.op == Op::kCondWait ? 1 : 0;
    wakes += e.op == Op::kCondReacquire ? 1 : 0;
  }
  EXPECT_EQ(waits, 1u);
  EXPECT_EQ(wakes, 1u);
}

TEST(Operations, AFailedTryLockIsOneOperation) {
  Program p;
  p.bodies = {{lock(kM), try_lock(kM, [](toy::Run& r, bool got) { r.vars[kX] = got ? 1 : 2; }), unlock(kM)}};
  const Trace t = p.run(stay());
  EXPECT_EQ(t.events().size(), 5u);  // start, lock, try, unlock, exit
  EXPECT_NE(t.events()[2].flags & kFailed, 0);
}

TEST(Plans, AStrictReplayOfATraceIsTheSameTrace) {
  Plan random;
  random.tail.kind = PolicyKind::kRandom;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    random.tail.seed = seed;
    const Trace t = lost_update().run(random);
    std::string why;
    EXPECT_EQ(first_difference(t, lost_update().run(plan_of(t)), &why), kNoDifference) << why;
  }
}

TEST(Plans, ASliceThatCannotRunDivergesWhenStrictAndIsSkippedWhenRelaxed) {
  Plan plan;
  plan.slices = {{child_thread(kMainThread, 2), 4}, {kMainThread, 3}};  // not born yet
  plan.strictness = Strictness::kStrict;
  EXPECT_EQ(lost_update().run(plan).outcome().kind, OutcomeKind::kDiverged);
  plan.strictness = Strictness::kRelaxed;
  const Trace t = lost_update().run(plan);
  EXPECT_EQ(t.outcome().kind, OutcomeKind::kExit);
  EXPECT_EQ(t.data().skipped_slices, 1u);
}

TEST(Plans, ASliceWhoseEndHasPassedIsEmpty) {
  Plan plan;
  plan.strictness = Strictness::kStrict;
  plan.slices = {{kMainThread, 3}, {kMainThread, 2}, {child_thread(kMainThread, 1), 4}};
  EXPECT_EQ(lost_update().run(plan).outcome().kind, OutcomeKind::kExit);
}

TEST(Plans, DroppingAnotherThreadsSliceDoesNotMoveABoundary) {
  const ThreadId one = child_thread(kMainThread, 1);
  const ThreadId two = child_thread(kMainThread, 2);
  Plan plan;
  plan.slices = {{kMainThread, 3}, {one, 2}, {two, 4}, {one, 4}};
  Plan fewer = plan;
  fewer.slices.erase(fewer.slices.begin() + 2);
  const Trace t = lost_update().run(fewer);
  EXPECT_EQ(t.slices()[1].end - t.slices()[1].begin, 4u);  // both slices of `one` run as one interval, to the same boundary
  EXPECT_EQ(t.outcome().kind, OutcomeKind::kExit);
}

TEST(Plans, ARemovedThreadKeepsItsBirthNumberAndIsNotJoined) {
  Program p;
  p.bodies = {{create(1), create(2), join(1), join(2)}, {store(kX, 1)}, {store(kX, 2)}};
  Plan plan;
  plan.remove_thread(child_thread(kMainThread, 1));
  const Trace t = p.run(plan);
  EXPECT_EQ(t.outcome().kind, OutcomeKind::kExit);
  EXPECT_EQ(t.counts().threads, 2u);
  EXPECT_EQ(t.threads()[2].path, "0.2");
  EXPECT_EQ(t.threads()[2].operations, 3u);
}

TEST(Plans, WhichWaiterWakesIsARecordedChoice) {
  Program p;
  const std::vector<Step> waiter = {lock(kM), cond_wait(kC, kM), unlock(kM)};
  p.bodies = {{create(1), create(2), yield(), yield(), lock(kM), signal(kC), unlock(kM)}, waiter, waiter};
  Plan plan;
  plan.slices = {{kMainThread, 3}, {child_thread(kMainThread, 1), 3}, {child_thread(kMainThread, 2), 3}};
  plan.choices = {{kMainThread, 7, child_thread(kMainThread, 2)}};
  const Trace t = p.run(plan);
  bool seen = false;
  for (const Event& e : t.events()) {
    if (e.op != Op::kCondSignal) continue;
    seen = true;
    EXPECT_NE(e.flags & kChoice, 0);
    EXPECT_EQ(e.value, child_thread(kMainThread, 2));
  }
  EXPECT_TRUE(seen);
}

TEST(Outcomes, ADeadlocksSignatureDoesNotDependOnTheSchedule) {
  Program p;
  p.bodies = {
      {create(1), create(2), join(1), join(2)}, {lock(kM), lock(kC), unlock(kC), unlock(kM)}, {lock(kC), lock(kM), unlock(kM), unlock(kC)}};
  const ThreadId one = child_thread(kMainThread, 1);
  const ThreadId two = child_thread(kMainThread, 2);
  Plan first;
  first.slices = {{kMainThread, 3}, {one, 2}, {two, 2}};
  Plan second;
  second.slices = {{kMainThread, 3}, {two, 2}, {one, 2}};
  const Trace a = p.run(first);
  const Trace b = p.run(second);
  EXPECT_EQ(a.outcome().kind, OutcomeKind::kDeadlock);
  EXPECT_TRUE(same_bug(a, b)) << signature(a) << " / " << signature(b);
}

TEST(Encoding, APlanSurvivesItsBlock) {
  Plan plan;
  plan.slices = {{kMainThread, 3}};
  plan.choices = {{kMainThread, 2, 9}};
  plan.weights = {{kMainThread, 5}};
  plan.marks = {1, 2};
  plan.steps = {7};
  plan.remove_thread(4);
  const auto block = encode(plan);
  const PlanView view = PlanView::over(block.data());
  EXPECT_EQ(block.size(), PlanView::bytes(*view.header));
  EXPECT_EQ(view.slices[0].until, 3u);
  EXPECT_EQ(view.choices[0].value, 9u);
  EXPECT_EQ(view.weights[0].count, 5u);
  EXPECT_EQ(view.marks[1], 2u);
  EXPECT_EQ(view.skips[0].thread, 4u);
  EXPECT_EQ(view.steps[0], 7u);
}

// A server that was told to die waits at its door for a moment more: a door that moves is a request.
TEST(Servers, DoNotMoveTheDoorOfARowThatIsEmptied) {
  ServerRow row{RowState::kReady, 77, 5, 0, 9, {1, 2, 3}};
  vacate(row);
  EXPECT_EQ(row.door, 5U);
  EXPECT_EQ(row.pid, 0);
  EXPECT_EQ(row.state, RowState::kNone);
  EXPECT_EQ(row.step, 0U);
}

}  // namespace
}  // namespace heddle::test
