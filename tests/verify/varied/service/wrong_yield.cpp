// verify: still-fails
// The thread lets the constructor go first, mostly.
#include <cassert>
#include <cstdio>
#include <thread>

class Service {
 public:
  Service() : thread_([this] { loop(); }) {}
  virtual ~Service() = default;
  void join() { thread_.join(); }

 protected:
  virtual int step() { return -1; }
  void loop() {
    std::this_thread::yield();
    const int answer = step();
    assert(answer > 0);
  }
  std::thread thread_;
};

class Clock : public Service {
 public:
  ~Clock() override = default;

 private:
  int step() override { return ticks_; }
  int ticks_ = 7;
};

int main() {
  Clock clock;
  clock.join();
}
