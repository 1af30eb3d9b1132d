// Finds the account's entry under the lock and uses it after: another thread may have dropped it.
// heddle-bug: kind=assert,signal,abort granularity=access class=uaf,atomicity set=tuned
// fix: hold|lock|before|wait
#include <cassert>
#include <map>
#include <mutex>
#include <thread>

struct Entry {
  int hits = 0;
};

static std::mutex lock;
static std::map<int, Entry*> entries;

static Entry* get(int key) {
  std::lock_guard<std::mutex> hold(lock);
  Entry*& e = entries[key];
  if (e == nullptr) e = new Entry;
  return e;  // FIX
}

static void drop(int key) {
  std::lock_guard<std::mutex> hold(lock);
  auto at = entries.find(key);
  if (at == entries.end()) return;
  delete at->second;
  entries.erase(at);
}

static void hit(int key) {
  Entry* e = get(key);
  e->hits++;  // BUG
}

int main() {
  std::thread user(hit, 7), janitor(drop, 7);
  user.join();
  janitor.join();
}
