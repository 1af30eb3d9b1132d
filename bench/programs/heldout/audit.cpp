// Money moves between three accounts, each with its own lock; the audit locks one after the other.
// heddle-kernel: family=audit kind=assert granularity=sync class=atomicity
#include <cassert>
#include <mutex>
#include <thread>

struct Account {
  std::mutex lock;
  int money = 10;
} accounts[3];
std::mutex books;

void move(int from, int to, int amount) {
#ifdef FIXED
  const std::lock_guard<std::mutex> whole(books);
#endif
  {
    const std::lock_guard<std::mutex> guard(accounts[from].lock);
    accounts[from].money -= amount;
  }
  const std::lock_guard<std::mutex> guard(accounts[to].lock);
  accounts[to].money += amount;
}

void audit() {
#ifdef FIXED
  const std::lock_guard<std::mutex> whole(books);
#endif
  int sum = 0;
  for (Account& a : accounts) {
    const std::lock_guard<std::mutex> guard(a.lock);  // BUG
    sum += a.money;
  }
  assert(sum <= 30);
}

int main() {
  std::thread a(audit), b(move, 0, 2, 5), c(move, 1, 0, 3);
  a.join();
  b.join();
  c.join();
}
