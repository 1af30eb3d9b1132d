// A deadlock of two locks that are locals of a function: one by itself, one a member. What other functions have at the same depth of the stack, before
// and after, is another variable.
#include <cassert>
#include <mutex>
#include <thread>

struct Ledger {
  int entries = 0;
  std::mutex guard;
};

__attribute__((noinline)) static void before() {
  std::mutex early;
  std::thread t([&] { std::lock_guard<std::mutex> lock(early); });
  t.join();
}

__attribute__((noinline)) static void transfer() {
  std::mutex account;
  Ledger ledger;
  for (int round = 0; round < 1; ++round) {
    std::thread in([&] {
      std::lock_guard<std::mutex> first(account);
      std::lock_guard<std::mutex> second(ledger.guard);
      ++ledger.entries;
    });
    std::thread out([&] {
      std::lock_guard<std::mutex> first(ledger.guard);
      std::lock_guard<std::mutex> second(account);
      --ledger.entries;
    });
    in.join();
    out.join();
  }
  assert(ledger.entries == 0);
}

int main() {
  before();
  transfer();
}
