// What operations mean: may a thread go on, and what changes when it does.
#include <gtest/gtest.h>

#include "model/learn.h"
#include "trace/objects.h"

namespace heddle::test {
namespace {

constexpr uint32_t kObject = 1;
constexpr uint32_t kMutex = 2;

struct Scene {
  RunState now;
  Scene() {
    now.objects.resize(3);
    now.threads.resize(3);
    for (model::ThreadNow& t : now.threads) t.live = true;
  }
  void does(uint32_t thread, Op op, uint32_t object = kObject, uint16_t flags = 0, uint64_t value = 0, uint32_t peer = model::kNone) {
    now.apply({op, flags, thread, object, model::is_condition_wait(op) ? kMutex : model::kNone, peer, value});
  }
  Ready may(uint32_t thread, Op op, uint32_t object = kObject) const { return now.ready(op, {thread, object}); }
};

TEST(Model, AMutexIsFreeOrItsOwners) {
  Scene run;
  EXPECT_EQ(run.may(0, Op::kMutexLock), Ready::kYes);
  run.does(0, Op::kMutexLock);
  EXPECT_EQ(run.may(1, Op::kMutexLock), Ready::kNo);
  EXPECT_EQ(run.may(1, Op::kMutexTimedLock), Ready::kTimeout);
  EXPECT_EQ(run.may(1, Op::kMutexTryLock), Ready::kYes);
  EXPECT_EQ(run.may(0, Op::kMutexLock), Ready::kNo);
  run.now.objects[kObject].reenters = true;
  EXPECT_EQ(run.may(0, Op::kMutexLock), Ready::kYes);
  run.does(0, Op::kMutexLock);
  run.does(0, Op::kMutexUnlock);
  EXPECT_EQ(run.may(1, Op::kMutexLock), Ready::kNo);
  run.does(1, Op::kMutexTryLock, kObject, kFailed);
  run.does(0, Op::kMutexUnlock);
  EXPECT_EQ(run.may(1, Op::kMutexLock), Ready::kYes);
}

TEST(Model, OnlyARobustMutexOutlivesItsOwner) {
  Scene run;
  run.does(0, Op::kMutexLock);
  run.does(0, Op::kThreadExit);
  EXPECT_EQ(run.may(1, Op::kMutexLock), Ready::kNo);
  run.now.objects[kObject].robust = true;
  EXPECT_EQ(run.may(1, Op::kMutexLock), Ready::kYes);
  run.does(1, Op::kMutexLock);
  EXPECT_EQ(run.may(2, Op::kMutexLock), Ready::kNo);
}

TEST(Model, ReadersAreCountedAndAWriterIsAlone) {
  Scene run;
  run.does(0, Op::kRwReadLock);
  run.does(1, Op::kRwReadLock);
  EXPECT_EQ(run.may(2, Op::kRwReadLock), Ready::kYes);
  EXPECT_EQ(run.may(0, Op::kRwWriteLock), Ready::kNo);
  run.does(0, Op::kRwUnlock);
  EXPECT_EQ(run.may(2, Op::kRwWriteLock), Ready::kNo);
  run.does(1, Op::kRwUnlock);
  EXPECT_EQ(run.may(2, Op::kRwWriteLock), Ready::kYes);
  run.does(2, Op::kRwWriteLock);
  EXPECT_EQ(run.may(0, Op::kRwReadLock), Ready::kNo);
  EXPECT_EQ(run.may(2, Op::kRwReadLock), Ready::kYes);  // it is told that it writes
}

TEST(Model, AWaitEndsWhenItIsWokenAndTheMutexIsFree) {
  Scene run;
  run.does(0, Op::kMutexLock, kMutex);
  run.does(0, Op::kCondWait);
  EXPECT_EQ(run.may(1, Op::kMutexLock, kMutex), Ready::kYes);
  run.does(1, Op::kMutexLock, kMutex);
  run.does(1, Op::kCondTimedWait);
  run.does(2, Op::kMutexLock, kMutex);
  EXPECT_EQ(run.may(1, Op::kCondTimedReacquire), Ready::kNo);
  run.does(2, Op::kCondSignal);
  EXPECT_EQ(run.may(0, Op::kCondReacquire), Ready::kNo);
  run.does(2, Op::kMutexUnlock, kMutex);
  EXPECT_EQ(run.may(0, Op::kCondReacquire), Ready::kYes);  // first come, first served
  EXPECT_EQ(run.may(1, Op::kCondTimedReacquire), Ready::kTimeout);
  run.does(0, Op::kCondReacquire);
  EXPECT_EQ(run.may(2, Op::kMutexLock, kMutex), Ready::kNo);
  EXPECT_EQ(run.now.waiters(kObject), std::vector<uint32_t>{1});
}

TEST(Model, AChoiceNamesTheWaiter) {
  Scene run;
  for (uint32_t t : {0u, 1u}) {
    run.does(t, Op::kMutexLock, kMutex);
    run.does(t, Op::kCondWait);
  }
  run.does(2, Op::kCondSignal, kObject, kChoice, 0, 1);
  EXPECT_EQ(run.may(0, Op::kCondReacquire), Ready::kNo);
  EXPECT_EQ(run.may(1, Op::kCondReacquire), Ready::kYes);
}

TEST(Model, ABarrierLetsARoundPass) {
  Scene run;
  run.does(0, Op::kBarrierArrive, kObject, 0, 2);
  EXPECT_EQ(run.may(0, Op::kBarrierLeave), Ready::kNo);
  run.does(1, Op::kBarrierArrive, kObject, 0, 2);
  EXPECT_EQ(run.may(0, Op::kBarrierLeave), Ready::kYes);
  run.does(1, Op::kBarrierLeave);
  run.does(1, Op::kBarrierArrive, kObject, 0, 2);
  EXPECT_EQ(run.may(1, Op::kBarrierLeave), Ready::kNo);
  EXPECT_EQ(run.may(0, Op::kBarrierLeave), Ready::kYes);
  Scene unsaid;
  unsaid.does(0, Op::kBarrierArrive);
  EXPECT_EQ(unsaid.may(0, Op::kBarrierLeave), Ready::kUnknown);
}

TEST(Model, AnInitialiserRunsOnceAndAgainWhereItThrew) {
  Scene run;
  run.does(0, Op::kOnceEnter);
  EXPECT_EQ(run.may(1, Op::kOnceEnter), Ready::kNo);
  EXPECT_EQ(run.may(0, Op::kOnceEnter), Ready::kNo);  // waits for itself, as in glibc
  run.does(0, Op::kOnceLeave, kObject, kFailed);
  run.does(1, Op::kOnceEnter);
  EXPECT_EQ(run.may(2, Op::kOnceEnter), Ready::kNo);
  run.does(1, Op::kOnceLeave);
  run.does(2, Op::kOnceEnter);
  EXPECT_EQ(run.may(0, Op::kOnceEnter), Ready::kYes);
}

TEST(Model, AFutexIsWokenByCountOrByChoice) {
  Scene run;
  for (uint32_t t : {0u, 1u}) run.does(t, Op::kFutexWait);
  run.does(2, Op::kFutexWake, kObject, kChoice, 0, 1);
  EXPECT_EQ(run.may(0, Op::kFutexResume), Ready::kNo);
  EXPECT_EQ(run.may(0, Op::kFutexTimedResume), Ready::kTimeout);
  EXPECT_EQ(run.may(1, Op::kFutexResume), Ready::kYes);
  run.does(2, Op::kFutexRequeue);
  EXPECT_EQ(run.may(0, Op::kFutexResume), Ready::kUnknown);
}

TEST(Model, ASemaphoresFirstValueIsLearnt) {
  std::vector<model::ObjectNow> first(3);
  Scene run;
  auto step = [&](uint32_t thread, Op op, uint64_t value, uint16_t flags = 0) {
    const model::Happening h{op, flags, thread, kObject, model::kNone, model::kNone, value};
    model::EventState state = run.now.view();
    model::learn(first.data(), &state, h);
    model::apply(state, h);
  };
  step(0, Op::kSemWait, 0);
  EXPECT_EQ(first[kObject].count, 1);
  EXPECT_FALSE(first[kObject].exact);
  step(1, Op::kSemTryWait, 0, kFailed);
  EXPECT_EQ(first[kObject].count, 1);
  EXPECT_TRUE(first[kObject].exact);
  step(1, Op::kSemPost, 1);
  EXPECT_FALSE(first[kObject].doubtful);
  step(1, Op::kSemPost, 8);  // made anew
  EXPECT_TRUE(first[kObject].doubtful);
}

}  // namespace
}  // namespace heddle::test
