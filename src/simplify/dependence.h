#pragma once
// Which pairs of events of a trace may not change places: the dependence graph behind the static pass, the classes of schedules and the
// certificate. Stronger than happens-before: conflicting accesses keep their order too, so that any linear order of the graph is the same
// computation (SimTrace: Huang & Zhang, SAS 2011, section 3).
#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "trace/locks.h"
#include "trace/trace.h"

namespace heddle::simplify {

// Finds the direct predecessors of events fed one after the other.
class DependenceWalk {
 public:
  explicit DependenceWalk(const Trace& trace);
  // Appends the indices of the direct predecessors of `event`, the next in the order of feeding; `index` is its own.
  void step(const Event& event, uint32_t index, std::vector<uint32_t>& predecessors);

 private:
  struct Access {
    uint32_t writer = kNoIndex;
    std::vector<uint32_t> readers;  // since the last write
  };

  void memory(const Event& event, uint32_t index, std::vector<uint32_t>& out);
  void synchronisation(uint64_t object, uint32_t index, std::vector<uint32_t>& out);
  void barrier(uint32_t index, bool both_ways, std::vector<uint32_t>& out);
  void access(uint64_t key, bool writes, uint32_t index, std::vector<uint32_t>& out);

  HeldLocks locks_;
  std::vector<uint32_t> last_;                        // of each thread
  std::vector<uint32_t> birth_;                       // event that created it
  std::vector<std::pair<ObjectId, uint32_t>> exits_;  // (the thread's object, event)
  uint32_t wall_ = kNoIndex;                          // last event that nothing may pass
  std::unordered_map<uint64_t, Access> accesses_;
  std::unordered_map<uint64_t, uint32_t> objects_;                     // last operation on it
  std::unordered_map<ObjectId, std::pair<uint64_t, uint64_t>> place_;  // allocation and offset in it
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> children_;         // (parent, birth) -> index
};

// The graph over a whole trace, in one flat array.
class Dependence {
 public:
  explicit Dependence(const Trace& trace);
  std::span<const uint32_t> before(size_t event) const {
    return std::span(edges_).subspan(begin_[event], begin_[event + 1] - begin_[event]);
  }
  // Everything that the given events depend on, and themselves.
  std::vector<bool> past(std::span<const size_t> events) const;
  // Equal for two prefixes of runs iff they are linear orders of the same partial order (up to collisions).
  uint64_t event_class(size_t event) const { return classes_[event]; }

 private:
  std::vector<uint32_t> begin_;
  std::vector<uint32_t> edges_;
  std::vector<uint64_t> classes_;
};

// Names an event together with all that it depends on, given the names of its direct predecessors.
uint64_t class_of(const Trace& trace, const Event& event, std::span<const uint64_t> predecessors);

// The events that make the bug: the failing one, or for a deadlock the last of each thread in the cycle (of every blocked thread where
// there is none).
std::vector<size_t> bug_events(const Trace& trace);

}  // namespace heddle::simplify
