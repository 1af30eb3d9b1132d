// Host and port change one after the other; a client connects to the old host at the new port.
// heddle-bug: kind=exit,assert,abort granularity=access class=atomicity set=held
// fix: one (lock|critical section|step)|same lock|together|hold
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>

struct Address {
  std::atomic<int> host{1};
  std::atomic<int> port{1001};
};

static void failover(Address& address) {
  address.host = 2;     // BUG
  address.port = 1002;  // BUG
}

static void dial(const Address& address) {
  int host = address.host;  // FIX
  int port = address.port;  // FIX
  if (port - 1000 != host) {
    std::fprintf(stderr, "no such server: %d:%d\n", host, port);
    std::abort();
  }
}

int main() {
  Address address;
  std::thread a([&] { failover(address); });
  std::thread b([&] { dial(address); });
  a.join();
  b.join();
}
