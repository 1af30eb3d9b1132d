// Looks for the key under the lock and inserts under the lock, but not under one.
// heddle-bug: kind=assert granularity=sync class=atomicity set=tuned
// fix: (one|same) (critical section|lock)|hold
#include <cassert>
#include <map>
#include <mutex>
#include <string>
#include <thread>

static std::mutex lock;
static std::map<std::string, int> table;
static int created;

static bool known(const std::string& key) {
  std::lock_guard<std::mutex> hold(lock);
  return table.count(key) != 0;
}

static void create(const std::string& key) {
  std::lock_guard<std::mutex> hold(lock);
  table[key] = ++created;
}

static void use() {
  if (!known("a")) create("a");  // BUG
}

int main() {
  std::thread a(use), b(use);
  a.join();
  b.join();
  assert(created == 1);
}
