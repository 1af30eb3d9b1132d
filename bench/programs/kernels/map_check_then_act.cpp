// A map whose every operation is locked, used as "if it is not there, make and insert it": two threads
// make the value twice and one of them keeps working on a value that is no longer in the map.
// Stands for: check-then-act on a synchronised collection (Lin, Marinov et al. 2015, CHECK-THEN-ACT study).
// Ours differs: C++ map; the counter behind the key is what gets lost.
// heddle-kernel: family=check_then_act kind=assert granularity=sync optimum=1 class=atomicity
#include <cassert>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace {

struct Counter {
  int value = 0;
};

std::mutex lock, count_lock;
std::map<std::string, std::shared_ptr<Counter>> counters;

std::shared_ptr<Counter> find(const std::string& key) {
  std::lock_guard guard(lock);
  auto it = counters.find(key);
  return it == counters.end() ? nullptr : it->second;
}

void insert(const std::string& key, std::shared_ptr<Counter> counter) {
  std::lock_guard guard(lock);
  counters[key] = std::move(counter);
}

std::shared_ptr<Counter> counter_of(const std::string& key) {
#ifdef FIXED
  std::lock_guard guard(lock);
  auto& entry = counters[key];
  if (!entry) entry = std::make_shared<Counter>();
  return entry;
#else
  auto counter = find(key);
  if (!counter) {
    counter = std::make_shared<Counter>();
    insert(key, counter);  // BUG
  }
  return counter;
#endif
}

void hit() {
  auto counter = counter_of("page");
  std::lock_guard guard(count_lock);
  counter->value++;
}

}  // namespace

int main() {
  std::thread a(hit), b(hit);
  a.join();
  b.join();
  insert("other", std::make_shared<Counter>());
  assert(find("page")->value == 2);
}
