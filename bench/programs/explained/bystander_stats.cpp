// Two threads spend from one balance that they looked at first; the statistics thread only reads.
// heddle-bug: kind=assert granularity=sync class=atomicity set=tuned
// fix: one (lock|critical section)|same lock|hold
#include <cassert>
#include <mutex>
#include <thread>

struct Wallet {
  std::mutex mutex;
  int balance = 100;
  int seen = 0;
};

static void spend(Wallet* wallet, int amount) {
  bool enough = false;
  {
    std::lock_guard<std::mutex> guard(wallet->mutex);
    enough = wallet->balance >= amount;  // BUG
  }
  if (!enough) return;
  std::lock_guard<std::mutex> guard(wallet->mutex);  // FIX
  wallet->balance -= amount;
  assert(wallet->balance >= 0);
}

static void watch(Wallet* wallet) {
  for (int i = 0; i < 3; i++) {
    std::lock_guard<std::mutex> guard(wallet->mutex);
    wallet->seen = wallet->balance;
  }
}

int main() {
  auto* wallet = new Wallet;
  std::thread statistics(watch, wallet);
  std::thread a(spend, wallet, 60), b(spend, wallet, 70);
  statistics.join();
  a.join();
  b.join();
  delete wallet;
}
