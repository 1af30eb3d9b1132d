// A GoogleTest binary: its failed expectation is the failure, in its words.
// heddle: expect=exit message="gtest_suite.cpp" preemptions=1 runs<=200 options=-lgtest_main,-lgtest
#include <gtest/gtest.h>

#include <mutex>
#include <thread>

namespace {

std::mutex lock;

int get(const int& from) {
  std::lock_guard<std::mutex> hold(lock);
  return from;
}
void set(int& to, int value) {
  std::lock_guard<std::mutex> hold(lock);
  to = value;
}

}  // namespace

TEST(Counter, IsZeroAtFirst) {
  int counter = 0;
  EXPECT_EQ(get(counter), 0);
}

TEST(Counter, AddsUp) {
  int counter = 0;
  auto add = [&] { set(counter, get(counter) + 1); };
  std::thread one(add);
  std::thread two(add);
  one.join();
  two.join();
  EXPECT_EQ(counter, 2) << "adds up";
}
