// heddle: expect=none runs<=1000
// Two threads take turns by a condition variable.
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex lock;
static std::condition_variable changed;
static int turn, rallies;

static void play(int me) {
  for (int i = 0; i < 5; ++i) {
    std::unique_lock<std::mutex> guard(lock);
    changed.wait(guard, [me] { return turn == me; });
    ++rallies;
    turn = 1 - me;
    changed.notify_all();
  }
}

int main() {
  std::thread one(play, 0), two(play, 1);
  one.join();
  two.join();
  return rallies == 10 ? 0 : 1;
}
