// The subject calls its observers with its lock held; an observer has its own lock and asks the subject while it holds it.
// heddle-bug: kind=deadlock granularity=sync class=deadlock set=held
// fix: order
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

class Subject {
 public:
  void watch(std::function<void(int)> f) {
    std::lock_guard<std::mutex> hold(lock_);
    watchers_.push_back(std::move(f));
  }
  void set(int value) {
    std::lock_guard<std::mutex> hold(lock_);
    value_ = value;
    for (auto& f : watchers_) f(value_);  // BUG
  }
  int get() {
    std::lock_guard<std::mutex> hold(lock_);
    return value_;
  }

 private:
  std::mutex lock_;
  int value_ = 0;
  std::vector<std::function<void(int)>> watchers_;
};

class View {
 public:
  explicit View(Subject& s) : subject_(s) {
    s.watch([this](int v) { changed(v); });
  }
  void changed(int v) {
    std::lock_guard<std::mutex> hold(lock_);  // BUG
    shown_ = v;
  }
  void refresh() {
    std::lock_guard<std::mutex> hold(lock_);
    shown_ = subject_.get();  // BUG
  }

 private:
  Subject& subject_;
  std::mutex lock_;
  int shown_ = 0;
};

int main() {
  Subject subject;
  View view(subject);
  std::thread setter([&] { subject.set(3); });
  view.refresh();
  setter.join();
}
