// A subject calls its observer with its own lock held; the observer's other entry calls back into the
// subject with the observer's lock held.
// Stands for: alien calls under a lock (Bloch, Effective Java), the commonest lock inversion across modules.
// Ours differs: one subject, one observer.
// heddle-kernel: family=callback_deadlock kind=deadlock granularity=sync optimum=1 class=deadlock
#include <mutex>
#include <thread>

namespace {

struct Subject;

struct Observer {
  std::mutex lock;
  int seen = 0;
  void notify(int value) {
    std::lock_guard guard(lock);
    seen = value;
  }
  void refresh(Subject& subject);
};

struct Subject {
  std::mutex lock;
  int value = 0;
  Observer* observer = nullptr;

  void set(int v) {
#ifdef FIXED
    {
      std::lock_guard guard(lock);
      value = v;
    }
    observer->notify(v);
#else
    std::lock_guard guard(lock);
    value = v;
    observer->notify(v);  // BUG
#endif
  }
  int get() {
    std::lock_guard guard(lock);
    return value;
  }
};

void Observer::refresh(Subject& subject) {
  std::lock_guard guard(lock);
  seen = subject.get();
}

}  // namespace

int main() {
  Observer observer;
  Subject subject;
  subject.observer = &observer;
  std::thread setter([&] { subject.set(1); });
  std::thread refresher([&] { observer.refresh(subject); });
  setter.join();
  refresher.join();
}
