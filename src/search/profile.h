#pragma once
// What the runs so far say about the program: which objects threads fight over, from which sites, and how much of it each thread does.
#include <map>
#include <vector>

#include "trace/happens_before.h"
#include "trace/trace.h"

namespace heddle::search {

// Two operations that met, or could have met, on one object: a data race or a contention for a lock.
struct Meeting {
  ObjectId object;
  SiteId a, b;    // a <= b
  uint64_t runs;  // how many runs showed it
};

class Profile {
 public:
  void add(const Trace& trace);
  bool empty() const { return runs_ == 0; }
  // In order of discovery.
  const std::vector<Meeting>& meetings() const { return meetings_; }
  const std::vector<ObjectId>& objects() const { return objects_; }  // of the meetings
  uint64_t length() const { return length_; }                        // longest run
  size_t threads() const { return threads_; }

  // kSurw: each thread's share of the events on these objects (all events if empty), with its parent's row, from the run that had most, but for those
  // that were far longer than the first.
  std::vector<Weight> weights(const std::vector<uint64_t>& marks) const;

 private:
  std::map<std::pair<ObjectId, std::pair<SiteId, SiteId>>, size_t> index_;
  std::vector<Meeting> meetings_;
  std::vector<ObjectId> objects_;
  Trace richest_;
  size_t first_ = 0;  // events of the first run
  uint64_t runs_ = 0;
  uint64_t length_ = 0;
  size_t threads_ = 1;
};

}  // namespace heddle::search
