// A web server whose resources are kept in a store with a limit, under a driver of ten clients with ten
// requests each. A request looks its resource up and locks it in two steps; when another request sweeps
// the store in between, the resource's body is gone and a null pointer is followed.
// Stands for: row "Jigsaw-2.2.6" of LEAN Tables 1-4 (null-pointer bug, 10 threads x 10 iterations; 11 threads).
// Ours differs: written anew; resources are strings made from their names, and every answer is checked.
// heddle-kernel: family=http_server kind=signal granularity=sync class=atomicity paper=lean row=Jigsaw
#include <array>
#include <cassert>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "late.h"

namespace {

constexpr int kClients = 10, kIterations = 10, kResources = 5, kLoadedLimit = 3;

struct Resource {
  std::mutex lock;
  int users = 0;
  std::unique_ptr<std::string> body;  // null while swept out
};

std::string content(int number) { return "resource " + std::to_string(number); }

class Store {
 public:
  Resource* find(int number, bool safe) {
    std::lock_guard guard(lock_);
    Resource& resource = resources_[static_cast<std::size_t>(number)];
    if (safe) resource.users++;
    if (!resource.body) {
      if (++loaded_ > kLoadedLimit) sweep(&resource);
      resource.body = std::make_unique<std::string>(content(number));
    }
    return &resource;
  }
  void release(Resource* resource) {
    std::lock_guard guard(lock_);
    resource->users--;
  }
  void acquire(Resource* resource) {
    std::lock_guard guard(lock_);
    resource->users++;
  }

 private:
  // Throws out what nobody uses; the store's lock is held.
  void sweep(const Resource* keep) {
    for (Resource& resource : resources_) {
      if (&resource == keep || resource.users > 0 || !resource.body) continue;
      resource.body.reset();
      loaded_--;
    }
  }
  std::mutex lock_;
  std::array<Resource, kResources> resources_;
  int loaded_ = 0;
};

Store store;

void request(int number, bool safe) {
  Resource* resource = store.find(number, safe);
  if (!safe) store.acquire(resource);  // BUG
  std::string answer;
  {
    std::lock_guard guard(resource->lock);
    answer = *resource->body;
  }
  assert(answer == content(number));
  store.release(resource);
}

void client(int me) {
#ifdef FIXED
  constexpr bool kFixed = true;
#else
  constexpr bool kFixed = false;
#endif
  for (int i = 0; i < kIterations; i++) HEDDLE_ITERATION {
      late_work();
      request((me * 3 + i) % kResources, kFixed || late_is_safe(i));
    }
}

}  // namespace

int main() {
  std::vector<std::thread> clients;
  for (int i = 0; i < kClients; i++) clients.emplace_back(client, i);
  for (std::thread& thread : clients) thread.join();
}
