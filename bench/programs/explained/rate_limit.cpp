// A token is taken when one is left: the test and the decrement are two steps.
// heddle-bug: kind=exit granularity=access class=atomicity,race set=tuned
// fix: compare.exchange|one (atomic )?step|lock
#include <atomic>
#include <cstdio>
#include <thread>

class Limiter {
 public:
  explicit Limiter(int n) : tokens_(n) {}
  bool allow() {
    if (tokens_ <= 0) return false;  // BUG
    --tokens_;                       // BUG
    return true;
  }
  int left() const { return tokens_; }

 private:
  std::atomic<int> tokens_;
};

int main() {
  Limiter limiter(2);
  std::atomic<int> passed{0};
  auto client = [&] {
    for (int i = 0; i < 2; ++i) passed += limiter.allow();
  };
  std::thread a(client), b(client);
  a.join();
  b.join();
  if (passed > 2) {
    std::fprintf(stderr, "%d requests passed, limit 2\n", passed.load());
    return 1;
  }
}
