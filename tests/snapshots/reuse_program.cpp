// All that a run may leave in its process and the next one must not find, ended in every way that a process can be used again after, and
// in some that it cannot: which, and by which thread, depends on the schedule.
#include <fcntl.h>
#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

std::mutex lock, other;
std::vector<std::string> kept;
int turns, fresh_pages;
unsigned long sum = 1;
char* from_before = static_cast<char*>(malloc(100'000));
thread_local int own;

void mix_in(unsigned long value) { sum = sum * 1000003 + value; }

// As deep as the schedule says: pages of the stack that not every run has.
unsigned long dig(int depth) {
  volatile char room[3000];
  room[0] = static_cast<char>(depth);
  return depth == 0 ? 0 : dig(depth - 1) + static_cast<unsigned long>(room[0]);
}

void work(int me) {
  for (int i = 0; i < 6; ++i) {
    std::lock_guard<std::mutex> guard(lock);
    ++turns;
    mix_in(static_cast<unsigned long>(me * 100 + ++own));
    from_before[turns * 4000] = static_cast<char>(from_before[turns * 4000] + 1);
    kept.push_back(std::string(static_cast<size_t>(turns * 300), 'a'));
    auto* block = static_cast<unsigned char*>(calloc(static_cast<size_t>(me + 1), 9000));
    for (int j = 0; j < 9000; j += 500) fresh_pages += block[j] != 0;
    memset(block, 1, 9000);
    if (turns % 3 != 0) free(block);
    auto* map = static_cast<char*>(mmap(nullptr, 20'000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    fresh_pages += map[4096];
    map[4096] = 1;
    if (me == 1) munmap(map, 20'000);
    if (me == 0 && i == 3) fesetround(FE_UPWARD);
    if (turns == 9) mix_in(dig(me * 4));
  }
}

// A heap that grows in some schedules only.
int grow_or_not() {
  bool first = false;
  std::thread a([&] {
    const std::lock_guard<std::mutex> guard(lock);
    if (turns++ == 0) first = true;
  });
  std::thread b([&] {
    const std::lock_guard<std::mutex> guard(lock);
    ++turns;
  });
  a.join();
  b.join();
  for (int i = 0; !first && i < 40; ++i) kept.push_back(std::string(60'000, 'b'));
  return 0;
}

void say_at_exit() { printf("at exit %d turns %lx %d\n", turns, sum, from_before[4000]); }

}  // namespace

int main(int count, char** words) {
  if (count > 1) return grow_or_not();
  atexit(say_at_exit);
  std::thread a(work, 0), b(work, 1), c(work, 2);
  a.join();
  b.join();
  c.join();
  volatile double third = 3;
  printf("%lx %d %.20g\n", sum, fresh_pages, std::nearbyint(1 / third + 0.2));
  if (fresh_pages != 0) return 99;
  sigset_t some;
  sigemptyset(&some);
  sigaddset(&some, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &some, nullptr);
  switch (sum % 9) {
    case 0: return 3;
    case 1: abort();
    case 2: std::thread([] { exit(4); }).join(); break;
    case 3: std::thread([] { _exit(5); }).join(); break;
    case 4: raise(SIGSEGV); break;
    case 5: {  // a deadlock
      std::lock_guard<std::mutex> guard(other);
      std::thread([] { std::lock_guard<std::mutex> again(other); }).join();
      break;
    }
    case 6: {  // a file, which no memory holds
      const int file = open(words[0], O_RDONLY);
      return file >= 3 ? 0 : 98;
    }
    case 7: signal(SIGUSR1, [](int) {}); break;
    default: break;
  }
  return 0;
}
