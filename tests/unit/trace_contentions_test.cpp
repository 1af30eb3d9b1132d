#include "trace/contentions.h"

#include <gtest/gtest.h>

namespace heddle::test {
namespace {

constexpr ObjectId kLock = make_object(ObjectKind::kGlobal, 0, 0x4000);

// thread, operation, site offset
struct Step {
  uint32_t thread;
  Op op;
  uint64_t site;
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
  for (const Step& step : steps) {
    Event e{};
    e.thread = static_cast<decltype(e.thread)>(step.thread);
    e.number = ++numbers[step.thread];
    e.op = step.op;
    e.object = step.op == Op::kThreadStart ? kNoObject : kLock;
    e.site = make_site(0, step.site);
    data.events.push_back(e);
  }
  return Trace(std::move(data));
}

std::vector<Contention> contentions(const std::vector<Trace>& traces) {
  ContentionLog log;
  for (const Trace& trace : traces) log.add(trace);
  return log.report(Symbols({"/nowhere/program"}));
}

TEST(Contentions, OneThatStoodBeforeItsRequestWhileTheLockWasHeld) {
  const auto found = contentions({trace_of({{0, Op::kThreadStart, 1},
                                            {1, Op::kThreadStart, 2},
                                            {2, Op::kThreadStart, 3},
                                            {1, Op::kMutexLock, 0x10},
                                            {1, Op::kMutexUnlock, 0x11},
                                            {2, Op::kMutexLock, 0x20},
                                            {2, Op::kMutexUnlock, 0x21}})});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].holder, "program+0x10");
  EXPECT_EQ(found[0].waiter, "program+0x20");
  EXPECT_EQ(found[0].count, 1u);
}

TEST(Contentions, NoneWhereTheRequestCameAfterTheRelease) {
  EXPECT_TRUE(contentions({trace_of({{0, Op::kThreadStart, 1},
                                     {1, Op::kThreadStart, 2},
                                     {1, Op::kMutexLock, 0x10},
                                     {1, Op::kMutexUnlock, 0x11},
                                     {2, Op::kThreadStart, 3},
                                     {2, Op::kMutexLock, 0x20}})})
                  .empty());
}

TEST(Contentions, ReadersDoNotWaitForEachOther) {
  auto with = [](Op second) {
    return contentions({trace_of({{1, Op::kThreadStart, 2},
                                  {2, Op::kThreadStart, 3},
                                  {1, Op::kRwReadLock, 0x10},
                                  {1, Op::kRwUnlock, 0x11},
                                  {2, second, 0x20}})})
        .size();
  };
  EXPECT_EQ(with(Op::kRwReadLock), 0u);
  EXPECT_EQ(with(Op::kRwWriteLock), 1u);
}

TEST(Contentions, RunsAreCountedOnceAndTheMostFrequentComesFirst) {
  const std::vector<Step> often = {{1, Op::kThreadStart, 2},    {2, Op::kThreadStart, 3},  {1, Op::kMutexLock, 0x10},
                                   {1, Op::kMutexUnlock, 0x11}, {2, Op::kMutexLock, 0x20}, {2, Op::kMutexUnlock, 0x21}};
  std::vector<Step> both = often;
  both.insert(both.end(), {{1, Op::kMutexLock, 0x12}});  // waited for the second holder
  const auto found = contentions({trace_of(often), trace_of(both)});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].waiter, "program+0x20");
  EXPECT_EQ(found[0].runs, 2u);
  EXPECT_EQ(found[1].waiter, "program+0x12");
  EXPECT_EQ(found[1].runs, 1u);
}

}  // namespace
}  // namespace heddle::test
