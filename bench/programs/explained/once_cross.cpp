// Two modules initialise each other once.
// heddle-bug: kind=deadlock granularity=sync class=deadlock set=tuned
// fix: order|once|before
#include <mutex>
#include <thread>

static std::once_flag net_once, log_once;
static int net_ready, log_ready;

static void init_log();
static void init_net(bool deep) {
  std::call_once(net_once, [deep] {
    if (deep) init_log();  // BUG
    net_ready = 1;
  });
}
static void init_log() {
  std::call_once(log_once, [] {
    init_net(false);  // BUG
    log_ready = 1;
  });
}

int main() {
  std::thread a([] { init_net(true); });
  std::thread b([] { init_log(); });
  a.join();
  b.join();
}
