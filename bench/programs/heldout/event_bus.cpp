// Who publishes holds the bus and takes the listener's lock; a listener that leaves holds its own and takes the bus.
// heddle-kernel: family=event_bus kind=deadlock granularity=sync class=deadlock
#include <mutex>
#include <thread>

std::mutex bus;
struct Listener {
  std::mutex lock;
  int heard = 0;
} listeners[2];
int subscribed = 2;

void publish() {
#ifdef FIXED
  for (Listener& l : listeners) {
    const std::lock_guard<std::mutex> guard(l.lock);
    ++l.heard;
  }
#else
  const std::lock_guard<std::mutex> whole(bus);
  for (Listener& l : listeners) {
    const std::lock_guard<std::mutex> guard(l.lock);  // BUG
    ++l.heard;
  }
#endif
}

void leave() {
  const std::lock_guard<std::mutex> guard(listeners[1].lock);
  const std::lock_guard<std::mutex> whole(bus);
  --subscribed;
}

int main() {
  std::thread a(publish), b(leave);
  a.join();
  b.join();
}
