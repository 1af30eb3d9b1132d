// The answer and the time-out both look whether the promise is kept, then keep it.
// heddle-bug: kind=exception,abort granularity=access class=atomicity set=tuned
// fix: exchange|one (atomic )?step|hold|compare
#include <atomic>
#include <future>
#include <thread>

struct Call {
  std::promise<int> answer;
  std::atomic<bool> kept{false};

  void keep(int value) {
    if (kept.load()) return;  // BUG
    kept.store(true);
    answer.set_value(value);
  }
};

int main() {
  Call call;
  auto result = call.answer.get_future();
  std::thread server([&] { call.keep(200); });
  std::thread timer([&] { call.keep(504); });
  result.wait();
  server.join();
  timer.join();
}
