#pragma once
// Locks that threads fought over in several runs: one was about to request one while another held the lock (Jalbert & Sen 2010, section 5:
// lock contentions beside data races).
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "symbols/symbols.h"
#include "trace/trace.h"

namespace heddle::trace {

struct Contention {
  std::string lock;
  std::string holder, waiter;  // the places where each took it
  size_t count = 0;            // how often it was seen
  size_t runs = 0;             // in how many runs
};

class ContentionLog {
 public:
  void add(const Trace& trace);
  // Those seen in most runs first. Pairs of the same two lines on a lock of the same name are one.
  std::vector<Contention> report(const Symbols& symbols) const;

 private:
  using Key = std::tuple<ObjectId, SiteId, SiteId>;  // lock, holder, waiter
  struct Seen {
    ObjectRow object;
    size_t count = 0;
    size_t runs = 0;
  };
  std::map<Key, Seen> seen_;
};

}  // namespace heddle::trace
