#pragma once
// Locks that runs took in opposite orders: a deadlock that no run showed. For each, whether another schedule of the same operations could close
// the circle (Havelund, "Using runtime analysis to guide model checking", SPIN 2000: gate locks; Bensalem & Havelund, PADTAD 2005: threads
// that are ordered by their creation and end).
#include <map>
#include <set>
#include <string>
#include <vector>

#include "symbols/symbols.h"
#include "trace/trace.h"

namespace heddle::trace {

// A thread that held one lock asked for another.
struct LockStep {
  std::string thread;  // "0.1"
  std::string held, held_at, wanted, wanted_at;
};

struct Inversion {
  std::vector<LockStep> steps;  // in a circle: the next one holds what this one wants
  bool closable = false;        // a schedule could close it
  std::string why_not;          // if not: "both hold `gate`", "one thread begins after the other has ended"
  size_t runs = 0;              // that showed it
};

class LockOrderLog {
 public:
  void add(const Trace& trace);
  // The closable ones first. The names are those of the last run.
  std::vector<Inversion> report(const Symbols& symbols) const;

 private:
  struct Edge {
    ThreadId thread;
    ObjectId held, wanted;
    SiteId held_site, wanted_site;
    friend auto operator<=>(const Edge&, const Edge&) = default;
  };
  struct Found {
    size_t runs = 0;
    bool closable = false;
    ObjectId gate = kNoObject;
    bool ordered = false;
  };
  std::map<std::vector<Edge>, Found> found_;
  std::map<ThreadId, std::string> threads_;
  std::map<ObjectId, ObjectRow> rows_;
};

}  // namespace heddle::trace
