// verify: still-fails
// Waits for the base only.
#include <atomic>
#include <cassert>
#include <cstdio>
#include <thread>

class Service {
 public:
  Service() : thread_([this] { loop(); }) { ready_ = true; }
  virtual ~Service() = default;
  void join() { thread_.join(); }

 protected:
  virtual int step() { return -1; }
  void loop() {
    while (!ready_) std::this_thread::yield();
    const int answer = step();
    assert(answer > 0);
  }
  std::atomic<bool> ready_{false};
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
