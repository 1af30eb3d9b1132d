// The status line is a std::string that the worker sets and the display copies, without a lock.
// heddle-bug: kind=signal,abort,assert,exception granularity=access class=race,atomicity,uaf set=tuned
// fix: lock
#include <cassert>
#include <string>
#include <thread>

struct Status {
  std::string text = "starting";
  void set(const char* what) { text = what; }  // BUG
  std::string get() const { return text; }     // BUG
};

int main() {
  Status status;
  std::thread worker([&] { status.set("reading the catalogue of the second volume"); });
  const std::string seen = status.get();
  worker.join();
  assert(seen == "starting" || seen == "reading the catalogue of the second volume");
}
