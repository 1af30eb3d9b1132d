// Waits for the loader without looking whether it has finished already.
// heddle-bug: kind=deadlock granularity=sync class=lost-wakeup set=tuned
// fix: loop|while|condition|predicate
#include <condition_variable>
#include <mutex>
#include <thread>

struct Loader {
  std::mutex m;
  std::condition_variable loaded;
  int bytes = 0;

  void load() {
    std::lock_guard<std::mutex> g(m);
    bytes = 42;
    loaded.notify_all();
  }
  int wait_for_bytes() {
    std::unique_lock<std::mutex> g(m);
    loaded.wait(g);  // BUG
    return bytes;
  }
};

int main() {
  Loader loader;
  std::thread t(&Loader::load, &loader);
  loader.wait_for_bytes();
  t.join();
}
