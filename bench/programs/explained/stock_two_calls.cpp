// Each call locks for itself: what quantity() said is old when set_quantity() writes.
// heddle-bug: kind=assert granularity=sync class=atomicity set=tuned
// fix: one (lock|critical section)|hold|same lock
#include <cassert>
#include <map>
#include <mutex>
#include <string>
#include <thread>

class Inventory {
 public:
  int quantity(const std::string& item) {
    std::scoped_lock lock(mutex_);
    return stock_[item];
  }
  void set_quantity(const std::string& item, int n) {
    std::scoped_lock lock(mutex_);
    stock_[item] = n;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, int> stock_;
};

static void deliver(Inventory& inventory, int n) {
  int before = inventory.quantity("bolt");     // BUG
  inventory.set_quantity("bolt", before + n);  // BUG
}

int main() {
  Inventory inventory;
  std::thread a(deliver, std::ref(inventory), 5);
  std::thread b(deliver, std::ref(inventory), 7);
  a.join();
  b.join();
  assert(inventory.quantity("bolt") == 12);
}
