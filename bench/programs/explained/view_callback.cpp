// A handler that is being called is not waited for when its object goes.
// heddle-bug: kind=misuse,signal granularity=access class=uaf set=tuned
// fix: wait for|join|hold|reference
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>
struct Dispatcher {
  std::mutex m;
  std::vector<std::function<void()>> handlers;
  void fire() {
    std::vector<std::function<void()>> copy;
    {
      std::lock_guard g(m);
      copy = handlers;
    }
    for (auto& h : copy) h();
  }
  void clear() {
    std::lock_guard g(m);
    handlers.clear();
  }
};
static Dispatcher bus;
struct View {
  int* pixels;
  View() : pixels(new int[2]{}) {
    bus.handlers.push_back([this] { redraw(); });
  }
  ~View() {
    bus.clear();
    delete[] pixels;
    pixels = nullptr;  // BUG
  }
  void redraw() { pixels[0] = 1; }  // BUG
};
int main() {
  auto v = std::make_unique<View>();
  std::thread t([] { bus.fire(); });
  v.reset();  // BUG
  t.join();
}
