// verify: fixed
// Started when all is constructed.
#include <cassert>
#include <cstdio>
#include <thread>

class Service {
 public:
  Service() = default;
  void start() {
    thread_ = std::thread([this] { loop(); });
  }
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
  clock.start();
  clock.join();
}
