// A download accelerator: a connection that is ready takes the second half of the longest segment, whose owner goes on meanwhile, so that a byte is fetched twice or a segment ends before it begins.
// heddle-kernel: family=segments_split kind=assert granularity=access class=atomicity
#include <cassert>
#include <mutex>
#include <thread>

std::mutex lock;
int at = 0, end = 6, fetched[6];

void owner() {
  for (;;) {
    const std::lock_guard<std::mutex> guard(lock);
    if (at >= end) return;
    ++fetched[at++];
  }
}

void helper() {
  int from, to;
#ifdef FIXED
  {
    const std::lock_guard<std::mutex> guard(lock);
    to = end;
    from = at + (to - at + 1) / 2;
    end = from;
  }
#else
  to = end;
  from = at + (to - at + 1) / 2;  // BUG
  {
    const std::lock_guard<std::mutex> guard(lock);
    end = from;
  }
#endif
  for (int i = from; i < to; ++i) {
    const std::lock_guard<std::mutex> guard(lock);
    ++fetched[i];
  }
}

int main() {
  std::thread a(owner), b(helper);
  a.join();
  b.join();
  for (int f : fetched) assert(f == 1);
}
