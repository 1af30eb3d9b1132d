// verify: fixed
// One critical section.

#include <cassert>
#include <functional>
#include <mutex>
#include <thread>

class Account {
 public:
  explicit Account(int balance) : balance_(balance) {}

  void withdraw(int amount) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (balance_ < amount) return;
    balance_ -= amount;
    assert(balance_ >= 0);
  }

 private:
  std::mutex mutex_;
  int balance_;
};

static void customer(Account& account) { account.withdraw(80); }

int main() {
  Account account(100);
  std::thread alice(customer, std::ref(account));
  std::thread bob(customer, std::ref(account));
  alice.join();
  bob.join();
  return 0;
}
