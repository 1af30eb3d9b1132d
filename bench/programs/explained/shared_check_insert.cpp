// Looks under the shared lock whether the name is there, and inserts under the exclusive one without looking again.
// heddle-bug: kind=assert granularity=sync class=atomicity set=held
// fix: hold|again|one (lock|critical section)|exclusive|same
#include <cassert>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>

static std::shared_mutex lock;
static std::map<std::string, int> numbers;
static int created;

static int number_of(const std::string& name) {
  {
    std::shared_lock<std::shared_mutex> read(lock);
    auto at = numbers.find(name);  // BUG
    if (at != numbers.end()) return at->second;
  }
  std::unique_lock<std::shared_mutex> write(lock);  // BUG
  ++created;
  return numbers[name] = created;
}

int main() {
  int a = 0, b = 0;
  std::thread x([&] { a = number_of("red"); }), y([&] { b = number_of("red"); });
  x.join();
  y.join();
  assert(a == b);
}
