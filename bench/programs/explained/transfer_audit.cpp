// Transfers lock the accounts in order of their numbers; the statement of one account locks the ledger first, the transfer last.
// heddle-bug: kind=deadlock granularity=sync class=deadlock set=held
// fix: order
#include <mutex>
#include <thread>
#include <utility>

struct Account {
  std::mutex lock;
  int number;
  int money;
};
static std::mutex ledger;
static int entries;

static void record(int n) {
  std::lock_guard<std::mutex> g(ledger);  // FIX
  entries += n;
}

static void transfer(Account& a, Account& b, int amount) {
  Account* first = &a;
  Account* second = &b;
  if (second->number < first->number) std::swap(first, second);
  std::lock_guard<std::mutex> g(first->lock);
  std::lock_guard<std::mutex> h(second->lock);
  a.money -= amount;
  b.money += amount;
  record(2);
}

static int statement(Account& a) {
  std::lock_guard<std::mutex> g(ledger);
  std::lock_guard<std::mutex> h(a.lock);  // BUG
  return a.money + entries;
}

int main() {
  Account x{{}, 1, 100}, y{{}, 2, 100};
  std::thread a([&] { transfer(y, x, 10); });
  std::thread b([&] { transfer(x, y, 20); });
  std::thread c([&] { statement(y); });
  a.join();
  b.join();
  c.join();
}
