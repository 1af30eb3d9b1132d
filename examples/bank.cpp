// Two customers share an account of 100 and each wants 80. Every access to the balance is under the lock, so no data race
// detector has anything to say; but the check and the withdrawal are two critical sections, and between them the other
// customer may come first. Natively the gap is far narrower than what keeps the two apart: it practically never fails.
//
//   heddle debug -- build/examples/bank

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
    balance_ -= amount;
    assert(balance_ >= 0);
  }

 private:
  std::mutex mutex_;
  int balance_;  // guarded by mutex_
};

// What a customer does before the visit. It touches nothing shared and takes longer than the visit itself, so natively the
// one with more pages comes second and all is well.
static void fill_in_forms(int pages) {
  volatile int page = 0;
  while (page < pages) page = page + 1;
}

static void customer(Account& account, int pages) {
  fill_in_forms(pages);
  if (account.balance() >= 80) account.withdraw(80);  // check, then act: the lock is not held between the two
}

int main() {
  Account account(100);
  std::thread alice(customer, std::ref(account), 10);
  std::thread bob(customer, std::ref(account), 100'000);
  alice.join();
  bob.join();
  return 0;
}
