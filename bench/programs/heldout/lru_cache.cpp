// A cache hands out a plain pointer to an entry and puts it at the end of its list in a second step; meanwhile the entry is thrown out.
// heddle-kernel: family=lru_cache kind=assert granularity=sync class=uaf
#include <cassert>
#include <list>
#include <mutex>
#include <thread>

std::mutex lock;
struct Entry {
  int key;
  bool in;
} entries[3] = {{1, true}, {2, true}, {3, true}};
std::list<Entry*> order{&entries[0], &entries[1], &entries[2]};

void get(int key) {
  Entry* found = nullptr;
  {
    const std::lock_guard<std::mutex> guard(lock);
    for (Entry* e : order) {
      if (e->key == key) found = e;
    }
#ifdef FIXED
    if (found == nullptr) return;
    order.remove(found);
    order.push_back(found);
#endif
  }
#ifndef FIXED
  if (found == nullptr) return;
  const std::lock_guard<std::mutex> guard(lock);
  assert(found->in);  // BUG
  order.remove(found);
  order.push_back(found);
#endif
}

void evict() {
  const std::lock_guard<std::mutex> guard(lock);
  order.front()->in = false;
  order.pop_front();
}

int main() {
  std::thread a(get, 1), b(evict), c(get, 2);
  a.join();
  b.join();
  c.join();
}
