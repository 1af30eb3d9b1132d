// A suite as a team has one: tests that pass, that fail under some schedule, always, or without any thread.
#include <gtest/gtest.h>

#include <cstdlib>
#include <mutex>
#include <thread>

namespace {

struct Account {
  std::mutex mutex;
  int balance = 100;

  int get() {
    std::lock_guard<std::mutex> lock(mutex);
    return balance;
  }
  void take(int amount) {
    std::lock_guard<std::mutex> lock(mutex);
    balance -= amount;
  }
};

template <typename First, typename Second>
void both(First first, Second second) {
  std::thread a(first), b(second);
  a.join();
  b.join();
}

}  // namespace

TEST(Account, Overdraws) {
  Account account;
  const auto customer = [&] {
    if (account.get() >= 80) account.take(80);
  };
  both(customer, customer);
  EXPECT_GE(account.balance, 0);
}

TEST(Account, Adds) {
  Account account;
  const auto customer = [&] { account.take(10); };
  both(customer, customer);
  EXPECT_EQ(account.balance, 80);
}

TEST(Locks, Deadlock) {
  std::mutex a, b;
  both(
      [&] {
        const std::scoped_lock first(a);
        const std::scoped_lock second(b);
      },
      [&] {
        const std::scoped_lock first(b);
        const std::scoped_lock second(a);
      });
}

TEST(Plain, StartsNoThread) { EXPECT_EQ(1 + 1, 2); }

TEST(Plain, WrongWithoutThreads) { EXPECT_EQ(1 + 1, 3); }

TEST(Plain, WrongWithThreads) {
  int value = 0;
  both([&] { value = 1; }, [] {});
  EXPECT_EQ(value, 2);
}

TEST(Plain, WantsAVariable) {
  const char* wanted = std::getenv("WANTED");
  EXPECT_STREQ(wanted, "here");
}

class Sized : public ::testing::TestWithParam<int> {};
TEST_P(Sized, Works) {
  int value = 0;
  both([&] { value = GetParam(); }, [] {});
  EXPECT_EQ(value, GetParam());
}
INSTANTIATE_TEST_SUITE_P(Some, Sized, ::testing::Values(1, 2, 3));
