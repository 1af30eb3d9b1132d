// Threads that come and go in every way, with memory of their own: what the C library allocates and frees for a thread, when, depends on
// how the process was made, and must not be seen in a schedule.
#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace {

std::mutex lock;
std::vector<std::unique_ptr<int>> kept;
std::atomic<int> detached;
int plain;

struct Own {
  int* block = static_cast<int*>(std::malloc(40));
  ~Own() { std::free(block); }
};
thread_local Own own;

void* work(void* argument) {
  own.block[0] = static_cast<int>(reinterpret_cast<long>(argument));
  int* mine = static_cast<int*>(std::malloc(16 + static_cast<size_t>(own.block[0])));
  *mine = own.block[0];
  {
    std::lock_guard<std::mutex> guard(lock);
    plain += *mine;
    kept.push_back(std::make_unique<int>(*mine));
  }
  std::free(mine);
  return std::calloc(1, 24);
}

void* leaves(void* argument) {
  std::free(work(argument));
  ++detached;
  return nullptr;
}

void join(pthread_t thread) {
  void* result = nullptr;
  pthread_join(thread, &result);
  std::free(result);
}

}  // namespace

int main() {
  for (long round = 0; round < 2; ++round) {
    pthread_t first, second, third;
    pthread_create(&first, nullptr, work, reinterpret_cast<void*>(1));
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 256 * 1024);
    pthread_create(&second, &small, work, reinterpret_cast<void*>(2));
    pthread_attr_destroy(&small);
    pthread_create(&third, nullptr, leaves, reinterpret_cast<void*>(3));
    pthread_detach(third);
    std::thread fourth([] { std::free(work(reinterpret_cast<void*>(4))); });
    join(first);
    join(second);
    fourth.join();
    while (detached.load() <= round) sched_yield();
    std::lock_guard<std::mutex> guard(lock);
    kept.clear();
  }
  std::printf("%d\n", plain);
  return 1;
}
