// Transfers between two accounts lock them in the order of the arguments.
// heddle-bug: kind=deadlock granularity=sync class=deadlock set=tuned
// fix: one order|same order|std::scoped_lock|std::lock
#include <mutex>
#include <thread>

struct Account {
  std::mutex lock;
  int balance = 100;
};

static void transfer(Account& from, Account& to, int amount) {
  std::lock_guard<std::mutex> first(from.lock);
  std::lock_guard<std::mutex> second(to.lock);  // BUG
  from.balance -= amount;
  to.balance += amount;
}

int main() {
  Account a, b;
  std::thread x([&] { transfer(a, b, 1); }), y([&] { transfer(b, a, 2); });
  x.join();
  y.join();
}
