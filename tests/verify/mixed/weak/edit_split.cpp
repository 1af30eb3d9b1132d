// verify: still-fails
// A weak pointer is asked, and then used.
#include <cassert>
#include <memory>
#include <mutex>
#include <thread>

struct Session {
  explicit Session(int n) : number(n) {}
  int number;
};

class Directory {
 public:
  void put(std::shared_ptr<Session> session) {
    std::lock_guard<std::mutex> hold(mutex_);
    current_ = session;
    owner_ = session;
  }
  void drop() {
    std::lock_guard<std::mutex> hold(mutex_);
    owner_.reset();
  }
  bool alive() {
    std::lock_guard<std::mutex> hold(mutex_);
    return !current_.expired();
  }
  std::shared_ptr<Session> get() {
    std::lock_guard<std::mutex> hold(mutex_);
    return current_.lock();
  }

 private:
  std::mutex mutex_;
  std::weak_ptr<Session> current_;
  std::shared_ptr<Session> owner_;
};

static int look(Directory& directory) {
  std::shared_ptr<Session> session = directory.get();
  assert(session != nullptr);
  return session->number;
}

static int number_of(Directory& directory) { return directory.alive() ? look(directory) : -1; }

int main() {
  Directory directory;
  directory.put(std::make_shared<Session>(7));
  int got = 0;
  std::thread asking([&] { got = number_of(directory); });
  std::thread closing([&] { directory.drop(); });
  asking.join();
  closing.join();
  return got == 7 || got == -1 ? 0 : 1;
}
