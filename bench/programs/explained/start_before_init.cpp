// The thread is started in the constructor before the member that it uses is set.
// heddle-bug: kind=signal granularity=access class=order set=tuned
// fix: before|wait
#include <thread>

struct Service {
  std::thread thread;
  int* volatile config = nullptr;
  Service() {
    thread = std::thread([this] { *config += 1; });
    config = new int(1);  // BUG
  }
  ~Service() {
    thread.join();
    delete config;
  }
};

int main() { Service service; }
