// verify: fixed
// One function that does both.
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <thread>
#include <vector>

class Stock {
 public:
  void put(int item) {
    std::lock_guard<std::mutex> guard(mutex_);
    items_.push_back(item);
  }
  bool empty() {
    std::lock_guard<std::mutex> guard(mutex_);
    return items_.empty();
  }
  bool try_take(int* item) {
    std::lock_guard<std::mutex> guard(mutex_);
    if (items_.empty()) return false;
    *item = items_.back();
    items_.pop_back();
    return true;
  }

 private:
  std::mutex mutex_;
  std::vector<int> items_;
};

static Stock stock;

static void buyer() {
  int item = 0;
  stock.try_take(&item);
}

int main() {
  stock.put(1);
  std::thread a(buyer), b(buyer);
  a.join();
  b.join();
}
