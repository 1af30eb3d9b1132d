// Statistics are read and set to zero: what is counted in between the two is lost.
// heddle-bug: kind=assert granularity=access class=atomicity set=held
// fix: exchange|one (atomic )?step|lock
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> requests{0};
static int reported;

static void serve() {
  for (int i = 0; i < 2; ++i) requests.fetch_add(1);
}

static void report() {
  reported += requests.load();  // BUG
  requests.store(0);            // BUG
}

int main() {
  std::thread server(serve), reporter(report);
  server.join();
  reporter.join();
  report();
  assert(reported == 2);
}
