// siglongjmp out of a handler, a handler on an alternate stack in each thread, exceptions thrown and caught through threads and passed
// on by a future, destructors of thread_local objects, and exit() while a thread still runs.
// heddle: expect=none runs<=60
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <future>
#include <mutex>
#include <stdexcept>
#include <thread>

#define CHECK(condition)            \
  do {                              \
    if (!(condition)) std::abort(); \
  } while (0)

namespace {

std::atomic<int> destroyed{0};
struct Marker {
  std::mutex* lock = nullptr;
  ~Marker() {
    if (lock == nullptr) return;
    std::lock_guard<std::mutex> hold(*lock);
    ++destroyed;
  }
};
thread_local Marker marker;
thread_local sigjmp_buf back;
thread_local char* stack_low;
thread_local size_t stack_size;
thread_local bool on_own_stack;
std::mutex lock;

void jump(int) { siglongjmp(back, 7); }
void look(int) {
  char here;
  on_own_stack = &here >= stack_low && &here < stack_low + stack_size;
}

void work(int number) {
  marker.lock = &lock;
  stack_t alternate{};
  stack_size = 64 * 1024;
  stack_low = static_cast<char*>(std::malloc(stack_size));
  alternate.ss_sp = stack_low;
  alternate.ss_size = stack_size;
  CHECK(sigaltstack(&alternate, nullptr) == 0);
  {
    std::lock_guard<std::mutex> hold(lock);
    pthread_kill(pthread_self(), SIGUSR2);
  }
  { std::lock_guard<std::mutex> hold(lock); }
  CHECK(on_own_stack);
  if (sigsetjmp(back, 1) == 0) {
    pthread_kill(pthread_self(), SIGUSR1);
    for (;;) std::lock_guard<std::mutex> hold(lock);
  }
  sigset_t now;
  pthread_sigmask(SIG_BLOCK, nullptr, &now);
  CHECK(sigismember(&now, SIGUSR1) == 0);
  alternate.ss_flags = SS_DISABLE;
  CHECK(sigaltstack(&alternate, nullptr) == 0);
  std::free(stack_low);
  throw std::runtime_error(number == 1 ? "one" : "two");
}

}  // namespace

int main() {
  struct sigaction action {};
  action.sa_handler = jump;
  sigaction(SIGUSR1, &action, nullptr);
  action.sa_handler = look;
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGUSR2, &action, nullptr);
  std::future<void> one = std::async(std::launch::async, work, 1);
  std::future<void> two = std::async(std::launch::async, work, 2);
  for (auto* each : {&one, &two}) {
    try {
      each->get();
      std::abort();
    } catch (const std::runtime_error& error) {
      CHECK(error.what()[0] == (each == &one ? 'o' : 't'));
    }
  }
  one = {};
  two = {};
  CHECK(destroyed == 2);
  std::thread([] {
    for (;;) std::lock_guard<std::mutex> hold(lock);
  }).detach();
  std::exit(0);
}
