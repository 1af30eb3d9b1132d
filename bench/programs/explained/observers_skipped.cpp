// Listeners are called one by one with the lock released for the call; one leaves meanwhile and another is skipped.
// heddle-bug: kind=assert granularity=sync class=atomicity set=tuned
// fix: hold|one critical section|copy
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

class Subject {
 public:
  void add(int* heard) { listeners_.push_back(heard); }
  void remove(int* heard) {
    std::lock_guard<std::mutex> g(lock_);
    for (auto it = listeners_.begin(); it != listeners_.end(); ++it) {
      if (*it == heard) {
        listeners_.erase(it);
        return;
      }
    }
  }
  void publish() {
    for (size_t i = 0;; ++i) {
      int* heard;
      {
        std::lock_guard<std::mutex> g(lock_);  // BUG
        if (i >= listeners_.size()) return;
        heard = listeners_[i];
      }
      ++*heard;
    }
  }

 private:
  std::mutex lock_;
  std::vector<int*> listeners_;
};

int main() {
  Subject subject;
  int a = 0, b = 0, c = 0;
  subject.add(&a);
  subject.add(&b);
  subject.add(&c);
  std::thread leaver([&] { subject.remove(&a); });
  std::thread caller([&] { subject.publish(); });
  leaver.join();
  caller.join();
  assert(b == 1 && c == 1);
}
