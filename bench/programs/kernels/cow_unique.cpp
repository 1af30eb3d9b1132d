// A copy-on-write value is changed in place when its owner count is one; the count is read before the
// lock, and a copy taken in between sees the change that was meant for its original only.
// Stands for: the copy-on-write string races that led to its removal from C++11 libraries.
// Ours differs: a value of one number with an explicit owner count.
// heddle-kernel: family=cow_unique kind=assert granularity=sync optimum=2 class=atomicity
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

namespace {

struct Buffer {
  int owners = 1;
  int value = 0;
};

std::mutex lock;
Buffer original, detached;

Buffer* copy(Buffer* from) {
  std::lock_guard guard(lock);
  from->owners++;
  return from;
}

Buffer* set(Buffer* buffer, int value) {
  std::unique_lock guard(lock);
  bool unique = buffer->owners == 1;
#ifndef FIXED
  guard.unlock();
  guard.lock();  // BUG
#endif
  if (!unique) {
    buffer->owners--;
    detached = Buffer{1, buffer->value};
    buffer = &detached;
  }
  buffer->value = value;
  return buffer;
}

void reader() {
  Buffer* mine = copy(&original);
  int first = 0, second = 0;
  {
    std::lock_guard guard(lock);
    first = mine->value;
  }
  {
    std::lock_guard guard(lock);
    second = mine->value;
  }
  assert(first == second);  // a copy never changes
}

void writer() { set(&original, 7); }

}  // namespace

int main() {
  std::thread a(reader), b(writer);
  a.join();
  b.join();
}
