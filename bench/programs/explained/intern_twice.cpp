// A cache under a reader-writer lock: a miss under the read lock is not looked up again under the write lock.
// heddle-bug: kind=assert granularity=sync class=atomicity set=tuned
// fix: look again under the write lock
#include <cassert>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>

class Symbols {
 public:
  int intern(const std::string& name) {
    {
      std::shared_lock<std::shared_mutex> r(lock_);
      auto found = ids_.find(name);
      if (found != ids_.end()) return found->second;
    }
    std::unique_lock<std::shared_mutex> w(lock_);  // BUG
    const int id = next_++;
    ids_[name] = id;
    return id;
  }

 private:
  std::shared_mutex lock_;
  std::map<std::string, int> ids_;
  int next_ = 0;
};

int main() {
  Symbols symbols;
  int first = -1, second = -1;
  std::thread a([&] { first = symbols.intern("x"); });
  std::thread b([&] { second = symbols.intern("x"); });
  a.join();
  b.join();
  assert(first == second);
}
