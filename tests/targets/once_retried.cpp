// heddle: expect=none runs<=60
// Initialisers that do not complete, each started by two threads at once: an exception, pthread_exit, a cancellation, a nested one. The next
// thread runs them again, and sees what the first attempt did.
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace {

void must(bool truth, const char* what) {
  if (truth) return;
  std::printf("%s\n", what);
  std::exit(1);
}

std::once_flag flag, outer_flag, inner_flag;
pthread_once_t control = PTHREAD_ONCE_INIT, left = PTHREAD_ONCE_INIT, cancelled = PTHREAD_ONCE_INIT;
::once_flag c_control = ONCE_FLAG_INIT;
int attempts[6];

void twice(int& count) {
  if (++count == 1) throw std::runtime_error("again");
}

struct Local {
  Local() { twice(attempts[2]); }
};

// Calls until it does not throw; counts the exceptions.
template <typename Call>
int persist(Call call) {
  for (int thrown = 0;; ++thrown) {
    try {
      call();
      return thrown;
    } catch (const std::runtime_error&) {
    }
  }
}

void both(void (*work)()) {
  std::thread one(work), two(work);
  one.join();
  two.join();
}

void* leave_inside(void*) {
  pthread_once(&left, [] {
    if (++attempts[4] == 1) pthread_exit(nullptr);
  });
  return nullptr;
}

sem_t inside, never;
void* wait_inside(void*) {
  pthread_once(&cancelled, [] {
    if (++attempts[5] != 1) return;
    sem_post(&inside);
    sem_wait(&never);
  });
  return nullptr;
}

}  // namespace

int main() {
  both([] { persist([] { std::call_once(flag, [] { twice(attempts[0]); }); }); });
  both([] { persist([] { pthread_once(&control, [] { twice(attempts[1]); }); }); });
  both([] {
    persist([] {
      static Local local;
      must(attempts[2] == 2, "constructed at the second attempt");
    });
  });
  persist([] { call_once(&c_control, [] { twice(attempts[3]); }); });
  // The inner one completes and stays so, the outer one is tried again.
  static int inner, outer;
  both([] {
    persist([] {
      std::call_once(outer_flag, [] {
        std::call_once(inner_flag, [] { ++inner; });
        twice(outer);
      });
    });
  });
  must(inner == 1 && outer == 2, "nested");
  for (int i = 0; i < 4; ++i) must(attempts[i] == 2, "two attempts");

  pthread_t threads[2];
  for (pthread_t& t : threads) pthread_create(&t, nullptr, leave_inside, nullptr);
  for (pthread_t t : threads) pthread_join(t, nullptr);
  leave_inside(nullptr);
  must(attempts[4] == 2, "again after pthread_exit");

  sem_init(&inside, 0, 0);
  sem_init(&never, 0, 0);
  for (pthread_t& t : threads) pthread_create(&t, nullptr, wait_inside, nullptr);
  sem_wait(&inside);
  void* how[2];
  for (pthread_t t : threads) pthread_cancel(t);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], &how[i]);
  must(how[0] == PTHREAD_CANCELED || how[1] == PTHREAD_CANCELED, "cancelled inside");
  wait_inside(nullptr);
  must(attempts[5] == 2, "again after the cancellation");
}
