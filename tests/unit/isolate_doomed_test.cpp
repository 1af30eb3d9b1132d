// The point of no return, on programs where it is known.
#include <gtest/gtest.h>

#include "simplify/doomed.h"
#include "simplify_programs.h"
#include "toy/toy.h"
#include "trace/executor.h"

namespace heddle::test {
namespace {

DoomedResult doomed_point(const toy::Program& p, const Trace& failing, DoomedOptions options = {}) {
  DirectExecutor executor([&](const Plan& plan) { return p.run(plan); });
  return doomed(
      failing, [&](const Trace& t) { return same_bug(failing, t); }, executor, options);
}

ThreadId child(uint32_t n) { return child_thread(kMainThread, n); }

TEST(Doomed, IsTheSecondLockOfACycle) {
  const toy::Program p = toy::lock_cycle(0, 2);
  Plan plan;
  plan.slices = {{kMainThread, 3}, {child(1), 4}, {child(2), 4}, {child(1), 100}, {child(2), 100}};
  const Trace failing = p.run(plan);
  ASSERT_EQ(failing.outcome().kind, OutcomeKind::kDeadlock);
  const DoomedResult result = doomed_point(p, failing);
  ASSERT_TRUE(result.found) << result.why;
  EXPECT_FALSE(result.from_start);
  // Once each thread has its first lock, nothing can help; until the second has it, everything may still go well.
  size_t second_lock = 0;
  for (size_t i = 0; i < failing.events().size(); ++i) {
    if (failing.events()[i].op == Op::kMutexLock) second_lock = i;
  }
  EXPECT_EQ(result.event, second_lock);
  EXPECT_EQ(result.after.passed, 0u);
  EXPECT_EQ(result.after.failed, 24u);
  EXPECT_GT(result.before.passed, 0u);
  EXPECT_EQ(result.before.events + 1, result.after.events);
}

TEST(Doomed, FromTheStartWhereNothingPasses) {
  toy::Program p;
  p.bodies = {{toy::create(1), toy::join(1)},
              {toy::check(
                  0, [](const toy::Run&) { return false; }, "always")}};
  const DoomedResult result = doomed_point(p, p.run(Plan()));
  EXPECT_TRUE(result.found);
  EXPECT_TRUE(result.from_start);
}

TEST(Doomed, SaysWhenItWasCut) {
  const toy::Program p = toy::lock_cycle(0, 2);
  const auto failing = toy::random_failure(p, 1);
  ASSERT_TRUE(failing);
  DoomedOptions options;
  options.max_executions = 10;
  const DoomedResult result = doomed_point(p, *failing, options);
  EXPECT_FALSE(result.found);
  EXPECT_FALSE(result.why.empty());
  EXPECT_LE(result.executions, 10u + 4u);
}

}  // namespace
}  // namespace heddle::test
