// Two readers of a mailbox are both woken for one letter; neither looks again.
// heddle-bug: kind=assert,signal,abort granularity=sync class=wait set=held
// fix: while|loop|again
#include <cassert>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

class Mailbox {
 public:
  void send(std::string letter) {
    std::lock_guard<std::mutex> hold(mutex_);
    letters_.push_back(std::move(letter));
    arrived_.notify_all();
  }
  std::string receive() {
    std::unique_lock<std::mutex> hold(mutex_);
    if (letters_.empty()) arrived_.wait(hold);  // BUG
    assert(!letters_.empty());
    std::string first = letters_.front();
    letters_.pop_front();
    return first;
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<std::string> letters_;
};

int main() {
  Mailbox box;
  std::thread one([&] { box.receive(); });
  std::thread two([&] { box.receive(); });
  box.send("a");
  box.send("b");
  one.join();
  two.join();
}
