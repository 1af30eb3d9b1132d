// verify: still-fails
// Another lock around each of the two.
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
  int take() {
    std::lock_guard<std::mutex> guard(mutex_);
    if (items_.empty()) {
      std::cerr << "take from an empty stock\n";
      std::abort();
    }
    int item = items_.back();
    items_.pop_back();
    return item;
  }

 private:
  std::mutex mutex_;
  std::vector<int> items_;
};

static Stock stock;

static std::mutex buyers;

static bool any() {
  std::lock_guard<std::mutex> one(buyers);
  return !stock.empty();
}

static void buyer() {
  if (!any()) return;
  std::lock_guard<std::mutex> one(buyers);
  stock.take();
}

int main() {
  stock.put(1);
  std::thread a(buyer), b(buyer);
  a.join();
  b.join();
}
