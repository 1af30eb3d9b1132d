// Names with what a filter gives a meaning to: a comma, a star, a backslash.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <mutex>
#include <thread>

TEST_CASE("takes one, gives one") {
  int value = 0;
  std::thread thread([&] { value = 1; });
  thread.join();
  CHECK(value == 1);
}

TEST_CASE("takes one") { CHECK(1 + 1 == 2); }

TEST_CASE("off" * doctest::skip()) { CHECK(false); }

TEST_CASE("sometimes wrong") {
  std::mutex mutex;
  int seen = 0, value = 0;
  std::thread thread([&] {
    const std::lock_guard<std::mutex> lock(mutex);
    value = 1;
  });
  {
    const std::lock_guard<std::mutex> lock(mutex);
    seen = value;
  }
  thread.join();
  CHECK(seen == 0);
}
