#pragma once
// Which threads a failure depends on: the thread dependence graph and the relevant threads of Execution Reduction (Tallam, Tian, Gupta & Zhang,
// ISSTA 2007, section 3.1).
#include <cstdint>
#include <map>
#include <vector>

#include "trace/trace.h"

namespace heddle::simplify {

// Why one thread depends on another; several may hold.
enum DependenceKind : uint8_t {
  kByEvent = 1,      // it was created, woken, let in or signalled by it
  kByFile = 2,       // it read a descriptor after the other wrote to one
  kByMemory = 4,     // it read what the other wrote
  kByJoining = 8,    // it waited for its end
  kByFileData = 16,  // it read bytes of a file that the other wrote
};

class ThreadGraph {
 public:
  // `to` depends on `from`; both are indices in the trace. A thread's dependence on itself is none.
  void add(uint32_t from, uint32_t to, DependenceKind kind);
  const std::map<std::pair<uint32_t, uint32_t>, uint8_t>& edges() const { return edges_; }

  // By index: these threads, and all that they depend on through edges of the given kinds.
  std::vector<bool> relevant(const std::vector<uint32_t>& threads, size_t count, uint8_t kinds) const;

 private:
  std::map<std::pair<uint32_t, uint32_t>, uint8_t> edges_;
};

// The edges that the events themselves show. A lock orders, but what it orders is data: those edges are in memory.
void add_event_edges(const Trace& trace, ThreadGraph& graph);

// The trace's schedule without these threads (by index) and their descendants; relaxed.
Plan without_threads(const Trace& trace, const std::vector<bool>& dropped, const Limits& limits);

}  // namespace heddle::simplify
