// The table of routes is a shared_ptr that one thread replaces and another copies.
// heddle-bug: kind=signal,abort,assert granularity=access class=race,uaf,atomicity set=tuned
// fix: lock|hold|one (atomic )?step|atomic
#include <map>
#include <memory>
#include <string>
#include <thread>

using Table = std::map<std::string, int>;

class Router {
 public:
  Router() : table_(std::make_shared<const Table>(Table{{"/", 1}, {"/a", 2}})) {}

  int route(const std::string& path) const {
    std::shared_ptr<const Table> table = table_;  // BUG
    auto found = table->find(path);
    return found == table->end() ? -1 : found->second;
  }

  void replace(Table fresh) {
    table_ = std::make_shared<const Table>(std::move(fresh));  // BUG
  }

 private:
  std::shared_ptr<const Table> table_;
};

int main() {
  Router router;
  int sum = 0;
  std::thread user([&] {
    for (const char* path : {"/", "/a"}) sum += router.route(path);
  });
  std::thread admin([&] { router.replace({{"/", 1}, {"/a", 2}, {"/b", 3}}); });
  user.join();
  admin.join();
  return sum == 3 ? 0 : 1;
}
