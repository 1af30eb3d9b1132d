// A number is drawn under one lock, the record appended under another.
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

struct Log {
  std::mutex number_mutex;
  std::mutex log_mutex;
  int last = 0;
  std::vector<int> records;

  int draw() {
    std::lock_guard<std::mutex> lock(number_mutex);
    return ++last;
  }
  void append(int number) {
    std::lock_guard<std::mutex> lock(log_mutex);
    if (!records.empty()) assert(records.back() < number);
    records.push_back(number);
  }
  void write() { append(draw()); }
  size_t size() {
    std::lock_guard<std::mutex> lock(log_mutex);
    return records.size();
  }
  int checkpoint() {
    std::lock_guard<std::mutex> log(log_mutex);
    std::lock_guard<std::mutex> number(number_mutex);
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
