// Ends before their time: what a plan says and what a policy draws, and how a trace gives it back.
#include <gtest/gtest.h>

#include "policy/director.h"
#include "policy/policies.h"
#include "trace/plan.h"
#include "trace/sight.h"
#include "trace/trace.h"

namespace heddle::test {
namespace {

class Wakes {
 public:
  explicit Wakes(const Plan& plan) : block_(encode(plan)) { director_.install(PlanView::over(block_.data()), threads_, 0); }
  bool at(uint64_t number, uint64_t step) { return director_.wakes_unasked(kMainThread, number, step); }

 private:
  std::vector<std::byte> block_;
  PolicyThread threads_[4]{};
  Director director_;
};

TEST(Timing, AWaitEndsWithoutASignalOnlyWhereThePlanSaysSo) {
  Plan plan;
  plan.choices.push_back({kMainThread, 7, kChoiceSpurious});
  plan.choices.push_back({kMainThread, 9, kChoiceTimeout});
  Wakes wakes(plan);
  for (uint64_t number = 1; number < 20; ++number) EXPECT_EQ(wakes.at(number, number), number == 7) << number;
}

TEST(Timing, NoMoreWaitsEndSoThanTheBudgetAllows) {
  for (const uint16_t budget : {uint16_t{0}, uint16_t{1}, uint16_t{3}}) {
    Plan plan;
    plan.tail.kind = PolicyKind::kRandom;
    plan.tail.seed = 5;
    plan.tail.spurious = budget;
    Wakes wakes(plan);
    int woken = 0;
    for (uint64_t step = 1; step < 1000; ++step) woken += wakes.at(step, step) ? 1 : 0;
    EXPECT_EQ(woken, budget);
  }
}

TEST(Timing, ATraceGivesItsChoicesBackAsAPlanHasThem) {
  Trace::Data data;
  data.threads.push_back({});
  data.threads[0].id = kMainThread;
  Event wait{};
  wait.number = 1;
  wait.op = Op::kCondWait;
  wait.flags = kSpurious;
  wait.value = 0xABC;  // its mutex
  Event wakes = wait;
  wakes.number = 2;
  wakes.op = Op::kCondReacquire;
  Event sleep{};
  sleep.number = 3;
  sleep.op = Op::kSleep;
  sleep.flags = kEarly | kTimedOut | kChoice;
  sleep.value = kChoiceTimeout;
  data.events = {wait, wakes, sleep};
  const Trace trace(std::move(data));
  EXPECT_EQ(timing_choices(trace), 2u);
  const Plan plan = plan_of(trace);
  ASSERT_EQ(plan.choices.size(), 2u);
  EXPECT_EQ(plan.choices[0].number, 1u);
  EXPECT_EQ(plan.choices[0].value, kChoiceSpurious);
  EXPECT_EQ(plan.choices[1].number, 3u);
  EXPECT_EQ(plan.choices[1].value, kChoiceTimeout);
}

// A thread that can run, and one that waits for `ms` more.
std::vector<Candidate> runner_and_waiter(uint64_t ms) {
  Candidate runs{}, waits{};
  runs.thread = kMainThread;
  runs.number = 5;
  runs.ready = Ready::kYes;
  waits.thread = child_thread(kMainThread, 1);
  waits.slot = 1;
  waits.number = 3;
  waits.ready = Ready::kTimeout;
  waits.deadline = ms * policy::kNsInMs;
  return {runs, waits};
}

// Steps of 1,000 at which the waiter is chosen although the other could run.
int early_ends(const Plan& plan, uint64_t ms) {
  const std::vector<std::byte> block = encode(plan);
  const std::vector<Candidate> threads = runner_and_waiter(ms);
  int early = 0;
  for (uint64_t step = 1; step <= 1000; ++step) {
    PolicyThread own[4]{};
    Director director;
    director.install(PlanView::over(block.data()), own, 0);
    PointView view{};
    view.threads = threads.data();
    view.count = 2;
    view.step = step;
    early += director.next(view).index == 1 ? 1 : 0;
  }
  return early;
}

TEST(Timing, ASampleEndsWaitsOfUpToItsReachAndSeldomWhereItHasAGap) {
  Plan plan;
  plan.tail.kind = PolicyKind::kRandom;
  plan.tail.seed = 3;
  EXPECT_EQ(early_ends(plan, 10), 0);
  plan.tail.early = 1;
  EXPECT_GT(early_ends(plan, 1'000), 400);
  EXPECT_EQ(early_ends(plan, 1'001), 0);
  plan.tail.length = 10'000;
  EXPECT_GT(early_ends(plan, 10'000), 400);
  EXPECT_EQ(early_ends(plan, 10'001), 0);
  plan.tail.quantum = 10;
  const int seldom = early_ends(plan, 10'000);
  EXPECT_GT(seldom, 20);
  EXPECT_LT(seldom, 100);
}

TEST(Timing, NoPlanButAStrictReplayEndsAWaitOfMoreThanAMinuteEarly) {
  Plan plan;
  plan.slices = {{child_thread(kMainThread, 1), 3}};
  plan.choices.push_back({child_thread(kMainThread, 1), 3, kChoiceTimeout});
  EXPECT_EQ(early_ends(plan, policy::kLongestEarlyMs), 1000);
  EXPECT_EQ(early_ends(plan, policy::kLongestEarlyMs + 1), 0);
  plan.strictness = Strictness::kStrict;
  EXPECT_EQ(early_ends(plan, policy::kLongestEarlyMs + 1), 1000);
}

}  // namespace
}  // namespace heddle::test
