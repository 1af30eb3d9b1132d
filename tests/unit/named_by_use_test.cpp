// What a statement calls the thing that an operation acts on.
#include "report/named_by_use.h"

#include <gtest/gtest.h>

namespace heddle::test {
namespace {

using report::acted_on;
using report::last_member;

std::string name(const std::string& statement, Op op) { return acted_on(statement, op).value_or("-"); }

TEST(NamedByUse, CallsNameTheirFirstArgument) {
  EXPECT_EQ(name("pthread_mutex_lock(&queue->lock);", Op::kMutexLock), "queue->lock");
  EXPECT_EQ(name("if (pthread_mutex_trylock(&pool.shards[i % 4].guard) != 0) return;", Op::kMutexTryLock), "-");
  EXPECT_EQ(name("pthread_mutex_unlock(&pool.shards[i].guard);", Op::kMutexUnlock), "pool.shards[i].guard");
  EXPECT_EQ(name("sem_wait(&this->slots);", Op::kSemWait), "slots");
  EXPECT_EQ(name("pthread_cond_wait(&q->ready, &q->lock);", Op::kCondWait), "q->ready");
}

TEST(NamedByUse, GuardsNameTheirMutex) {
  EXPECT_EQ(name("std::lock_guard<std::mutex> lock(mutex_);", Op::kMutexLock), "mutex_");
  EXPECT_EQ(name("std::unique_lock lk{account.guard, std::defer_lock};", Op::kMutexLock), "account.guard");
  EXPECT_EQ(name("std::shared_lock<std::shared_mutex> read(table->rw);", Op::kMutexLock), "table->rw");
  EXPECT_EQ(name("std::scoped_lock both(from.guard, to.guard);", Op::kMutexLock), "-");
  EXPECT_EQ(name("std::lock_guard a(first); std::lock_guard b(second);", Op::kMutexLock), "-");
}

TEST(NamedByUse, MembersNameTheirObject) {
  EXPECT_EQ(name("account->guard.lock();", Op::kMutexLock), "account->guard");
  EXPECT_EQ(name("ready_.wait(lock, [&] { return !jobs_.empty(); });", Op::kCondWait), "ready_");
  // More often a std::unique_lock than a mutex.
  EXPECT_EQ(name("lk.unlock();", Op::kMutexUnlock), "-");
  EXPECT_EQ(name("}", Op::kMutexUnlock), "-");
}

TEST(NamedByUse, TheLastMemberIsTheWord) {
  EXPECT_EQ(last_member("queue->lock"), "lock");
  EXPECT_EQ(last_member("pool.guards[i]"), "guards");
  EXPECT_EQ(last_member("mutex_"), "mutex_");
}

}  // namespace
}  // namespace heddle::test
