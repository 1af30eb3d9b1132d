// verify: still-fails
// A weak pointer is asked, and then used.
#include <cassert>
#include <memory>
#include <mutex>
#include <thread>

struct Connection {
  explicit Connection(int n) : number(n) {}
  int number;
};

class Registry {
 public:
  void put(std::shared_ptr<Connection> connection) {
    std::lock_guard<std::mutex> hold(guard_);
    current_ = connection;
    owner_ = connection;
  }
  void drop() {
    std::lock_guard<std::mutex> hold(guard_);
    owner_.reset();
  }
  bool alive() {
    std::lock_guard<std::mutex> hold(guard_);
    return !current_.expired();
  }
  std::shared_ptr<Connection> get() {
    std::lock_guard<std::mutex> hold(guard_);
    return current_.lock();
  }

 private:
  std::mutex guard_;
  std::weak_ptr<Connection> current_;
  std::shared_ptr<Connection> owner_;
};

static int id_of(Registry& registry) {
  if (!registry.alive()) return -1;
  std::shared_ptr<Connection> connection = registry.get();
  assert(connection != nullptr);
  return connection->number;
}

int main() {
  Registry registry;
  registry.put(std::make_shared<Connection>(7));
  int got = 0;
  std::thread asking([&] { got = id_of(registry); });
  std::thread closing([&] { registry.drop(); });
  asking.join();
  closing.join();
  return got == 7 || got == -1 ? 0 : 1;
}
