// A singleton created on first use, the test for it outside the lock: two threads create it twice
// and work on different objects.
// Stands for: the lazy-initialisation idiom (check-then-act) of Farchi, Nir & Ur 2003 and Lu et al. 2008.
// Ours differs: the creation is locked, only the test is not repeated inside.
// heddle-kernel: family=lazy_init kind=assert granularity=sync optimum=1 class=atomicity
#include <atomic>
#include <cassert>
#include <memory>
#include <mutex>
#include <thread>

namespace {

struct Registry {
  std::atomic<int> users{0};
};

std::mutex lock;
std::unique_ptr<Registry> owner, spare;
std::atomic<Registry*> instance{nullptr};

Registry* get() {
  if (Registry* r = instance.load()) return r;
  std::lock_guard guard(lock);
#ifdef FIXED
  if (Registry* r = instance.load()) return r;
#endif
  spare = std::move(owner);  // keeps a first instance alive: the failure is two instances, not a crash
  owner = std::make_unique<Registry>();
  instance.store(owner.get());  // BUG
  return owner.get();
}

void use() { get()->users++; }

}  // namespace

int main() {
  std::thread a(use), b(use);
  a.join();
  b.join();
  assert(instance.load()->users == 2);
}
