// A subscriber is called after it has left.
#include <cassert>
#include <functional>
#include <mutex>
#include <thread>

class Source {
 public:
  void subscribe(std::function<void()> call) {
    std::lock_guard<std::mutex> guard(mutex_);
    call_ = std::move(call);
  }
  void unsubscribe() {
    std::lock_guard<std::mutex> guard(mutex_);
    call_ = nullptr;
  }
  void fire() {
    std::function<void()> call;
    {
      std::lock_guard<std::mutex> guard(mutex_);
      call = call_;
    }
    if (call) call();
  }

 private:
  std::mutex mutex_;
  std::function<void()> call_;
};

static Source source;
static std::mutex state;
static bool alive = true;

static void called() {
  std::lock_guard<std::mutex> guard(state);
  assert(alive);
}

static void leave() {
  source.unsubscribe();
  std::lock_guard<std::mutex> guard(state);
  alive = false;
}

int main() {
  source.subscribe(called);
  std::thread a([] { source.fire(); }), b(leave);
  a.join();
  b.join();
}
