// Names with what a test specification gives a meaning to: a comma, brackets, a star. One test explores its own body.
#define CATCH_CONFIG_MAIN
// clang-format off: the header finds out which framework is there
#include <heddle/check.h>
#include <catch2/catch.hpp>
// clang-format on

#include <mutex>
#include <thread>

namespace {

// Wrong where the other thread comes first.
void looks_too_late() {
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

}  // namespace

TEST_CASE("takes one, gives [one]*") {
  int value = 0;
  std::thread thread([&] { value = 1; });
  thread.join();
  CHECK(value == 1);
}

TEST_CASE("takes one") { CHECK(1 + 1 == 2); }

TEST_CASE("off", "[.]") { CHECK(false); }

TEST_CASE("sometimes wrong") { looks_too_late(); }

TEST_CASE("explores its body, and [itself]", "[.body]") { heddle::check(looks_too_late, {200, 20, 1}); }
