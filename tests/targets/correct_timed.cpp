// heddle: expect=none runs<=500
// Timed waits, sleeps and yields, all of which must end in every schedule.
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex lock;
static std::condition_variable changed;
static bool done;

int main() {
  std::thread poller([] {
    std::unique_lock<std::mutex> guard(lock);
    while (!done) changed.wait_for(guard, std::chrono::milliseconds(3));
  });
  std::thread sleeper([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    std::this_thread::yield();
    std::lock_guard<std::mutex> guard(lock);
    done = true;
  });
  poller.join();
  sleeper.join();
  std::unique_lock<std::mutex> guard(lock);
  const auto start = std::chrono::steady_clock::now();
  const bool timed_out = changed.wait_for(guard, std::chrono::milliseconds(20)) == std::cv_status::timeout;
  return timed_out && std::chrono::steady_clock::now() - start >= std::chrono::milliseconds(20) ? 0 : 1;
}
