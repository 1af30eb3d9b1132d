// All that a copy of a run must carry: output, input, the offset of a file, random numbers, the clock, thread_local data, the heap,
// a condition variable with waiters. Ends with what all of it came to. (No pipe: where one is open, no copy is taken; see pipe_pair.)
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

std::mutex lock;
std::condition_variable changed;
int turn;
unsigned long sum;
int self;
thread_local unsigned long own = 1;

void mix_in(unsigned long value) { sum = sum * 1000003 + value; }

void work(int me, int rounds) {
  std::vector<std::string> kept;
  for (int i = 0; i < rounds; ++i) {
    std::unique_lock<std::mutex> guard(lock);
    if (i % 8 == 0) {
      changed.notify_one();
      changed.wait_for(guard, std::chrono::milliseconds(3), [me] { return turn % 3 == me; });
    }
    ++turn;
    own = own * 31 + static_cast<unsigned long>(turn);
    kept.push_back(std::string(static_cast<size_t>(turn % 90), 'x'));
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    unsigned char drawn = 0;
    if (getrandom(&drawn, 1, 0) != 1) abort();
    char byte = 0;
    if (read(self, &byte, 1) != 1) abort();
    int input = i % 5 == 0 ? getchar() : 0;
    mix_in(own + static_cast<unsigned long>(now.tv_nsec) + drawn + static_cast<unsigned char>(byte) + static_cast<unsigned long>(input) +
           kept.back().size());
    if (i % 16 == 0) {
      printf("%d %d %lx\n", me, i, sum);
      fflush(stdout);
    }
  }
}

// With the argument `wake`: several wait at once, and each is woken by a signal of its own.
void await_turns() {
  std::unique_lock<std::mutex> guard(lock);
  for (int i = 0; i < 3; ++i) changed.wait(guard);
  mix_in(static_cast<unsigned long>(++turn));
}
int wake_each() {
  std::vector<std::thread> waiters;
  for (int i = 0; i < 4; ++i) waiters.emplace_back(await_turns);
  while (turn < 4) {
    lock.lock();
    changed.notify_one();
    lock.unlock();
    std::this_thread::yield();
  }
  for (std::thread& t : waiters) t.join();
  printf("%lx\n", sum);
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  if (count > 1) return wake_each();
  std::vector<std::thread> threads;
  self = open(arguments[0], O_RDONLY);
  if (self < 0) return 2;
  for (int i = 0; i < 3; ++i) threads.emplace_back(work, i, 40);
  for (std::thread& t : threads) t.join();
  printf("%lx\n", sum);
  return sum % 7 == 0 ? 1 : 0;
}
