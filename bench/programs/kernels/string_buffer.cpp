// append(other) asks the other buffer for its length and then for its characters, each under the
// other's lock; an erase in between makes the length stale and the copy runs past the end.
// Stands for: JDK 1.4 StringBuffer (Flanagan & Qadeer 2003; SCTBench CS.stringbuffer-jdk1.4).
// Ours differs: std::string with a checked copy instead of a Java array.
// heddle-kernel: family=string_buffer kind=assert granularity=sync optimum=1 class=atomicity
#include <cassert>
#include <mutex>
#include <string>
#include <thread>

namespace {

class StringBuffer {
 public:
  explicit StringBuffer(std::string text) : text_(std::move(text)) {}

  std::size_t length() {
    std::lock_guard guard(lock_);
    return text_.size();
  }

  std::string chars(std::size_t count) {
    std::lock_guard guard(lock_);
    assert(count <= text_.size());
    return text_.substr(0, count);
  }

  void erase() {
    std::lock_guard guard(lock_);
    text_.clear();
  }

  void append(StringBuffer& other) {
#ifdef FIXED
    std::scoped_lock guard(lock_, other.lock_);
    text_ += other.text_;
#else
    std::lock_guard guard(lock_);
    std::size_t count = other.length();
    text_ += other.chars(count);  // BUG
#endif
  }

 private:
  std::mutex lock_;
  std::string text_;
};

}  // namespace

int main() {
  StringBuffer target("abc"), source("defgh");
  std::thread appender([&] { target.append(source); });
  std::thread eraser([&] { source.erase(); });
  appender.join();
  eraser.join();
  std::size_t length = target.length();
  assert(length == 3 || length == 8);
}
