// verify: fixed
// One lock; the number is an atomic that is drawn under it.
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

struct Log {
  std::mutex log_mutex;
  std::atomic<int> last{0};
  std::vector<int> records;

  int draw() { return last.fetch_add(1) + 1; }
  void append(int number) {
    if (!records.empty()) assert(records.back() < number);
    records.push_back(number);
  }
  void write() {
    std::lock_guard<std::mutex> lock(log_mutex);
    append(draw());
  }
  size_t size() {
    std::lock_guard<std::mutex> lock(log_mutex);
    return records.size();
  }
  int checkpoint() {
    std::lock_guard<std::mutex> log(log_mutex);
    return last - int(records.size());
  }
};

int main() {
  Log log;
  std::thread one([&] { log.write(); });
  std::thread two([&] { log.write(); });
  int behind = log.checkpoint();
  one.join();
  two.join();
  return behind >= 0 && log.size() == 2 ? 0 : 1;
}
