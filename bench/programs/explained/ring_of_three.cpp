// Session, index and journal are locked in a ring, each pair in a different function.
// heddle-bug: kind=deadlock granularity=sync class=deadlock set=tuned
// fix: one order|order
#include <mutex>
#include <thread>

struct Session {
  std::mutex lock;
  int open = 0;
} session;
struct Index {
  std::mutex lock;
  int keys = 0;
} index_;
struct Journal {
  std::mutex lock;
  int lines = 0;
} journal;

static void note_key() {
  std::lock_guard<std::mutex> g(index_.lock);
  ++index_.keys;
}
static void open_session() {
  std::lock_guard<std::mutex> g(session.lock);
  ++session.open;
  note_key();  // FIX
}
static void rebuild() {
  std::lock_guard<std::mutex> g(index_.lock);
  std::lock_guard<std::mutex> h(journal.lock);  // FIX
  ++journal.lines;
}
static void replay() {
  std::lock_guard<std::mutex> g(journal.lock);
  std::lock_guard<std::mutex> h(session.lock);  // BUG
  --session.open;
}

int main() {
  std::thread a(open_session), b(rebuild), c(replay);
  a.join();
  b.join();
  c.join();
}
