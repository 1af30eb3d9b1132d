// Two buffers: the writer fills the hidden one and swaps; a reader that is slow reads the one that is filled again.
// heddle-kernel: family=double_buffer kind=assert granularity=access class=atomicity
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

int buffers[2][3];
std::atomic<int> shown{0};
std::mutex lock;

void fill() {
  for (int round = 1; round <= 2; ++round) {
#ifdef FIXED
    const std::lock_guard<std::mutex> guard(lock);
#endif
    int(&hidden)[3] = buffers[1 - shown.load()];
    for (int& cell : hidden) cell = round;
    shown = 1 - shown.load();
  }
}

void show() {
#ifdef FIXED
  const std::lock_guard<std::mutex> guard(lock);
#endif
  const int(&seen)[3] = buffers[shown.load()];
  const int first = seen[0];
  const int last = seen[2];  // BUG
  assert(first == last);
}

int main() {
  std::thread a(fill), b(show);
  a.join();
  b.join();
}
