#pragma once
// The data races of several runs, each once, in the words of the source.
#include <map>
#include <set>
#include <string>
#include <vector>

#include "symbols/symbols.h"
#include "trace/trace.h"

namespace heddle::trace {

// Races that the user does not want to hear of. A pattern is a glob, after `function:` or `file:`, or matched against both; a race with a
// matching frame on either side is left out.
class Suppressions {
 public:
  // One pattern a line; empty lines and what follows a # are passed over.
  static Suppressions parse(const std::string& text);
  void add(const std::string& pattern);
  bool covers(const Frame& frame) const;
  bool empty() const { return patterns_.empty(); }

 private:
  struct Pattern {
    bool function, file;
    std::string glob;
  };
  std::vector<Pattern> patterns_;
};

struct RaceSideReport {
  std::string thread;  // path of births
  Op op = Op::kNone;
  size_t size = 0;
  std::string place;               // "bank.cpp:12", "worker+0x1c", "libfoo.so+0x123"
  Frame frame;                     // of the access; empty without debug information
  std::vector<std::string> stack;  // "main (bank.cpp:20)", innermost first, from the access outwards
  std::vector<std::string> locks;  // held there
};

struct RaceReport {
  bool confirmed = false;
  size_t count = 0;              // how often it was seen
  size_t runs = 0;               // in how many runs
  std::string object;            // "counter", "a block of 16 bytes allocated at main.c:9, at offset 4"
  RaceSideReport first, second;  // in the order of one run that showed it
};

class RaceLog {
 public:
  // Returns whether it showed a racing site that was not known before.
  bool add(const Trace& trace) { return add(trace, trace.data().races); }
  // The same for some of its races.
  bool add(const Trace& trace, const std::vector<RaceRow>& races);

  // Every site that took part in a race, confirmed or possible; sorted. The point set of PointKind::kRacy. `hot`: sites that are executed so
  // often that a suspicion alone does not make them points: data that is handed on under a lock would be nothing but points.
  std::vector<SiteId> sites(const std::set<SiteId>& hot = {}) const;
  bool empty() const { return seen_.empty(); }

  // Confirmed ones first, then by source position. Several pairs of the same two lines on the same object are one race.
  std::vector<RaceReport> report(const Symbols& symbols, const Suppressions& suppressions) const;

 private:
  struct Key {
    SiteId low, high;
    SiteId low_call, high_call;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  struct Seen {
    RaceRow row;
    size_t count = 0;
    size_t runs = 0;
    ObjectRow object;
    std::string first_thread, second_thread;
    std::map<ObjectId, ObjectRow> locks;
  };
  std::map<Key, Seen> seen_;
};

}  // namespace heddle::trace
