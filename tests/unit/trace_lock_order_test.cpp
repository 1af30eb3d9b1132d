#include "trace/lock_order.h"

#include <gtest/gtest.h>

#include "trace/objects.h"

namespace heddle::test {
namespace {

constexpr ObjectId lock_at(uint64_t n) { return make_object(ObjectKind::kGlobal, 0, 0x4000 + 64 * n); }

// thread, operation, which lock (of a creation or a join: which thread)
struct Step {
  uint32_t thread;
  Op op;
  uint64_t lock;
};

Trace trace_of(const std::vector<Step>& steps) {
  Trace::Data data;
  for (uint32_t i = 0; i < 3; ++i) {
    Thread t;
    t.id = i == 0 ? kMainThread : child_thread(kMainThread, i);
    t.birth = i;
    data.threads.push_back(t);
  }
  data.modules.push_back({"/nowhere/program", 0, true});
  std::vector<uint32_t> numbers(3, 0);
  uint64_t site = 0x10;
  for (const Step& step : steps) {
    Event e{};
    e.thread = static_cast<decltype(e.thread)>(step.thread);
    e.number = ++numbers[step.thread];
    e.op = step.op;
    const bool threads = row(step.op).family == Family::kThreads;
    e.object = threads ? thread_object(data.threads[step.lock].id) : lock_at(step.lock);
    e.site = make_site(0, ++site);
    data.events.push_back(e);
  }
  return Trace(std::move(data));
}

std::vector<Inversion> inversions(const std::vector<Step>& steps) {
  LockOrderLog log;
  log.add(trace_of(steps));
  return log.report(Symbols({"/nowhere/program"}));
}

void take(std::vector<Step>& steps, uint32_t thread, const std::vector<uint64_t>& locks) {
  for (uint64_t lock : locks) steps.push_back({thread, Op::kMutexLock, lock});
  for (size_t i = locks.size(); i-- > 0;) steps.push_back({thread, Op::kMutexUnlock, locks[i]});
}

std::vector<Step> both_started() {
  return {
      {0, Op::kThreadStart, 0}, {0, Op::kThreadCreate, 1}, {0, Op::kThreadCreate, 2}, {1, Op::kThreadStart, 1}, {2, Op::kThreadStart, 2}};
}

TEST(LockOrder, TwoThreadsInOppositeOrdersCouldDeadlock) {
  auto steps = both_started();
  take(steps, 1, {1, 2});
  take(steps, 2, {2, 1});
  const auto found = inversions(steps);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].closable);
  EXPECT_EQ(found[0].steps.size(), 2u);
}

TEST(LockOrder, ALockHeldByBothKeepsThemApart) {
  auto steps = both_started();
  take(steps, 1, {3, 1, 2});
  take(steps, 2, {3, 2, 1});
  const auto found = inversions(steps);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_FALSE(found[0].closable);
  EXPECT_NE(found[0].why_not.find("as well"), std::string::npos);
}

TEST(LockOrder, OneThreadAloneIsNoCircle) {
  auto steps = both_started();
  take(steps, 1, {1, 2});
  take(steps, 1, {2, 1});
  EXPECT_TRUE(inversions(steps).empty());
}

TEST(LockOrder, ThreadsInOneOrderByCreationAndJoinDoNotMeet) {
  std::vector<Step> steps{{0, Op::kThreadStart, 0}, {0, Op::kThreadCreate, 1}, {1, Op::kThreadStart, 1}};
  take(steps, 1, {1, 2});
  steps.push_back({1, Op::kThreadExit, 1});
  steps.push_back({0, Op::kThreadJoin, 1});
  take(steps, 0, {2, 1});
  const auto found = inversions(steps);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_FALSE(found[0].closable);
}

TEST(LockOrder, ATryWaitsForNobody) {
  auto steps = both_started();
  take(steps, 1, {1, 2});
  steps.push_back({2, Op::kMutexLock, 2});
  steps.push_back({2, Op::kMutexTryLock, 1});
  EXPECT_TRUE(inversions(steps).empty());
}

}  // namespace
}  // namespace heddle::test
