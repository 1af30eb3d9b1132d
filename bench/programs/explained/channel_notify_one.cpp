// Senders and receivers wait on one condition; notify_one may wake one of the wrong kind.
// heddle-bug: kind=deadlock granularity=sync class=lost-wakeup set=held
// fix: notify_all|broadcast|all|own condition
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

template <class T>
class Channel {
 public:
  void send(T value) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !slot_.has_value(); });
    slot_ = value;
    changed_.notify_one();  // BUG
  }
  T receive() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return slot_.has_value(); });
    T value = *slot_;
    slot_.reset();
    changed_.notify_one();  // BUG
    return value;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<T> slot_;
};

int main() {
  Channel<int> channel;
  std::thread s1([&] { channel.send(1); });
  std::thread s2([&] { channel.send(2); });
  std::thread r1([&] { channel.receive(); });
  channel.receive();
  s1.join();
  s2.join();
  r1.join();
}
