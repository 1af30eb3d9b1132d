#include <gtest/gtest.h>
#include <heddle/check.h>

#include <mutex>
#include <thread>

namespace {

struct Stock {
  std::mutex mutex;
  int left = 1;

  bool any() {
    const std::lock_guard<std::mutex> lock(mutex);
    return left > 0;
  }
  int take() {
    const std::lock_guard<std::mutex> lock(mutex);
    return --left;
  }
};

// Correct where one look and the taking are one step.
template <typename Take>
int least_after_two(Stock& stock, Take take) {
  std::thread other(take), another(take);
  other.join();
  another.join();
  return stock.left;
}

void wrong() {
  Stock stock;
  EXPECT_EQ(least_after_two(stock,
                            [&] {
                              if (stock.any()) stock.take();
                            }),
            0);
}

void right() {
  Stock stock;
  EXPECT_EQ(least_after_two(stock,
                            [&] {
                              const std::lock_guard<std::mutex> lock(stock.mutex);
                              if (stock.left > 0) --stock.left;
                            }),
            0);
}

}  // namespace

TEST(Queue, Wrong) { wrong(); }
TEST(Queue, Right) { right(); }
TEST(Body, Wrong) { heddle::check(wrong); }
TEST(Body, Right) { heddle::check(right, {200, 20, 1}); }
