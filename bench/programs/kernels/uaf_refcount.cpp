// A lookup returns a shared object and takes its reference after the table's lock is gone; the last
// holder may drop the object in between, and the reference revives a dead one.
// Stands for: the get-after-put use-after-free of kernel CVEs (e.g. CVE-2016-7911-like rows of ConVul).
// Ours differs: death poisons the object instead of returning the memory, so that every run is defined.
// heddle-kernel: family=uaf_refcount kind=assert granularity=access optimum=1 class=uaf
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

namespace {

struct Object {
  std::atomic<int> references{1};
  std::atomic<bool> alive{true};
};

Object object;
Object* table = &object;
std::mutex lock, use_lock;

void put(Object* o) {
  if (o->references.fetch_sub(1) == 1) o->alive = false;
}

Object* get() {
  std::lock_guard guard(lock);
#ifdef FIXED
  if (table) table->references.fetch_add(1);
#endif
  return table;
}

void user() {
  Object* o = get();
  if (!o) return;
#ifndef FIXED
  o->references.fetch_add(1);  // BUG
#endif
  {
    std::lock_guard guard(use_lock);
    assert(o->alive);
  }
  put(o);
}

void remover() {
  Object* o = nullptr;
  {
    std::lock_guard guard(lock);
    o = table;
    table = nullptr;
  }
  put(o);
}

}  // namespace

int main() {
  std::thread a(user), b(remover);
  a.join();
  b.join();
  assert(!object.alive);
}
