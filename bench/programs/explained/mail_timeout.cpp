// A fetch waits at most 50 ms for mail, and then reads the first letter in any case.
// heddle-bug: kind=assert granularity=sync class=wait,order,misuse set=tuned
// fix: result|return|time|again|only
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <list>
#include <mutex>
#include <string>
#include <thread>

class Mailbox {
 public:
  void put(std::string letter) {
    std::lock_guard<std::mutex> guard(mutex_);
    letters_.push_back(std::move(letter));
    arrived_.notify_one();
  }

  std::string fetch(std::chrono::milliseconds patience) {
    std::unique_lock<std::mutex> guard(mutex_);
    arrived_.wait_for(guard, patience, [this] { return !letters_.empty(); });  // BUG
    assert(!letters_.empty());
    std::string first = letters_.front();
    letters_.pop_front();
    return first;
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::list<std::string> letters_;
};

int main() {
  Mailbox box;
  std::thread postman([&] { box.put("dear reader"); });
  std::string read;
  std::thread reader([&] { read = box.fetch(std::chrono::milliseconds(50)); });
  postman.join();
  reader.join();
  return read.empty();
}
