// A virtual call while the object is being destroyed.
#include <atomic>
#include <thread>

struct Base {
  virtual int answer() { return 1; }
  virtual ~Base() { finish(); }
  void finish() { done.store(true, std::memory_order_relaxed); }
  std::atomic<bool> done{false};
};
struct Derived : Base {
  int answer() override { return 2; }
};

int seen;

int main() {
  alignas(Derived) static unsigned char place[sizeof(Derived)];
  Base* object = new (place) Derived;
  std::thread a([&] { seen = object->answer(); });
  object->~Base();
  a.join();
  return 0;
}
