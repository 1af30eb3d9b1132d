// verify-build: heddle-cc
// The base starts the thread, which calls a function of what is not yet constructed.
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
