// A getter and a setter, each with the lock; the sum of the two is not.
// heddle-bug: kind=assert granularity=sync class=atomicity set=held
// fix: (one|same) (critical section|lock)|hold
#include <cassert>
#include <mutex>
#include <thread>

class Account {
 public:
  int get() {
    std::lock_guard<std::mutex> hold(lock_);
    return balance_;
  }
  void set(int value) {
    std::lock_guard<std::mutex> hold(lock_);
    balance_ = value;
  }

 private:
  std::mutex lock_;
  int balance_ = 0;
};

static Account account;

static void pay_in() {
  for (int i = 0; i < 2; ++i) {
    const int old = account.get();
    account.set(old + 10);  // BUG
  }
}

int main() {
  std::thread a(pay_in), b(pay_in);
  a.join();
  b.join();
  assert(account.get() == 40);
}
