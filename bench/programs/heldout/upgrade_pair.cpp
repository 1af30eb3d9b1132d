// Two threads hold a portable lock for reading and both want to write without letting go.
// heddle-kernel: family=upgrade_pair kind=deadlock granularity=sync class=deadlock
#include <condition_variable>
#include <mutex>
#include <thread>

std::mutex inner;
std::condition_variable changed;
int readers, value;
bool writing;

void read() {
  std::unique_lock<std::mutex> guard(inner);
  changed.wait(guard, [] { return !writing; });
  ++readers;
}

void upgrade() {
  std::unique_lock<std::mutex> guard(inner);
#ifdef FIXED
  --readers;
  changed.notify_all();
  changed.wait(guard, [] { return readers == 0 && !writing; });
#else
  changed.wait(guard, [] { return readers == 1 && !writing; });  // BUG
  --readers;
#endif
  writing = true;
}

void unlock() {
  const std::lock_guard<std::mutex> guard(inner);
  writing = false;
  changed.notify_all();
}

void use() {
  read();
  upgrade();
  ++value;
  unlock();
}

int main() {
  std::thread a(use), b(use);
  a.join();
  b.join();
}
