// A parent may be gone when its child asks for it: the answer of lock() is used unseen.
// heddle-bug: kind=signal,assert granularity=access class=order,uaf,atomicity set=tuned
// fix: before|wait|null|test|result|end|join
#include <memory>
#include <mutex>
#include <thread>

struct Parent {
  int children = 0;
};

static std::mutex lock;
static std::shared_ptr<Parent> root = std::make_shared<Parent>();

static void child(std::weak_ptr<Parent> up) {
  std::shared_ptr<Parent> parent = up.lock();
  std::lock_guard<std::mutex> hold(lock);
  parent->children++;  // BUG
}

int main() {
  std::thread t(child, std::weak_ptr<Parent>(root));
  root.reset();  // BUG
  t.join();
}
