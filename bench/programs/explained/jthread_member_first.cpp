// The thread is declared before what it writes to, so that it is joined after that is gone.
// heddle-bug: kind=assert,signal,abort granularity=access class=uaf,order set=held
// fix: join|before|last|end
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>

struct Sink {
  int written = 0;
  bool open = true;
  ~Sink() { open = false; }
  void write(int n) {
    assert(open);  // BUG
    written += n;
  }
};

class Sampler {
 public:
  Sampler() {
    thread_ = std::jthread([this] {
      for (int i = 0; i < 2; ++i) sink_.write(i);  // FIX
    });
  }

 private:
  std::jthread thread_;  // FIX
  Sink sink_;            // FIX
};

int main() { auto sampler = std::make_unique<Sampler>(); }
