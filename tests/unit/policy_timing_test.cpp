// Ends before their time: what a plan says and what a policy draws, and how a trace gives it back.
#include <gtest/gtest.h>

#include "policy/director.h"
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

}  // namespace
}  // namespace heddle::test
