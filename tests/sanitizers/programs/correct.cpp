// Right under every schedule: locks, memory, exceptions, thread exit, thread_local, longjmp.
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mutex>
#include <stdexcept>
#include <thread>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;

struct Counted {
  int* block = new int(1);
  ~Counted() { delete block; }
};
static thread_local Counted counted;

static void* work(void* argument) {
  char* block = static_cast<char*>(malloc(100));
  memset(block, *counted.block, 100);
  pthread_mutex_lock(&lock);
  total += block[7];
  pthread_mutex_unlock(&lock);
  free(block);
  try {
    throw std::runtime_error("thrown");
  } catch (const std::exception&) {
  }
  jmp_buf back;
  if (setjmp(back) == 0) longjmp(back, 1);
  if (argument != nullptr) pthread_exit(argument);
  return nullptr;
}

int main() {
  pthread_t threads[2];
  for (long i = 0; i < 2; ++i) pthread_create(&threads[i], nullptr, work, reinterpret_cast<void*>(i));
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  std::mutex mutex;
  std::thread other([&] {
    std::lock_guard<std::mutex> guard(mutex);
    ++total;
  });
  other.join();
  printf("total %d\n", total);
  return total == 3 ? 0 : 1;
}
