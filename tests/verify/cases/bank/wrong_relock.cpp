// verify: fails-differently
// Holds the lock and asks for it again.

#include <cassert>
#include <functional>
#include <mutex>
#include <thread>

class Account {
 public:
  explicit Account(int balance) : balance_(balance) {}

  int balance() {
    std::lock_guard<std::mutex> lock(mutex_);
    return balance_;
  }

  void withdraw(int amount) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (balance() < amount) return;
    balance_ -= amount;
    assert(balance_ >= 0);
  }

 private:
  std::mutex mutex_;
  int balance_;
};

static void customer(Account& account) {
  if (account.balance() >= 80) account.withdraw(80);
}

int main() {
  Account account(100);
  std::thread alice(customer, std::ref(account));
  std::thread bob(customer, std::ref(account));
  alice.join();
  bob.join();
  return 0;
}
