// A weak pointer is asked whether it has expired, then locked; the last owner lets go in between.
// heddle-bug: kind=assert,signal granularity=access class=atomicity,uaf,order set=tuned
// fix: hold|one (atomic )?step|lock|reference
#include <atomic>
#include <cassert>
#include <memory>
#include <mutex>
#include <thread>

struct Image {
  int width = 640;
};

class Images {
 public:
  explicit Images(std::shared_ptr<Image> first) : owner_(std::move(first)), cached_(owner_) {}
  bool cached() {
    std::lock_guard<std::mutex> g(m_);
    return !cached_.expired();
  }
  std::shared_ptr<Image> get() {
    std::lock_guard<std::mutex> g(m_);  // BUG
    return cached_.lock();
  }
  void drop() {
    std::lock_guard<std::mutex> g(m_);
    owner_.reset();
  }

 private:
  std::mutex m_;
  std::shared_ptr<Image> owner_;
  std::weak_ptr<Image> cached_;
};

int main() {
  Images images(std::make_shared<Image>());
  int width = 640;
  std::thread painter([&] {
    if (images.cached()) width = images.get()->width;
  });
  std::thread cleaner([&] { images.drop(); });
  painter.join();
  cleaner.join();
  assert(width == 640);
}
