#pragma once
// Enabled sets are not stored in a trace: they are rebuilt here from its events (contract "Operations and events"), by the model.
#include <vector>

#include "trace/objects.h"
#include "trace/trace.h"

namespace heddle::trace {

// A live thread and its next operation.
struct PendingOperation {
  uint32_t thread;  // index
  uint32_t number;  // of the pending operation
  Op op;
  ObjectId object;
  SiteId site;
  Ready ready;
  bool gave_way;  // its last event was a yield, a sleep or a spin iteration, and nobody else has run since
  size_t next;    // index of the pending operation's event, or events().size() if it did not come to it
};

// Goes over a trace event by event. At position p the events [0, p) have been executed.
class EnabledWalk {
 public:
  explicit EnabledWalk(const Trace& trace);
  size_t position() const { return position_; }
  bool done() const { return position_ >= trace_.events().size(); }
  void advance();

  // The live threads in order of creation.
  std::vector<PendingOperation> pending_operations() const;
  bool live(uint32_t thread) const { return now_.threads[thread].live; }
  PendingOperation pending_operation(uint32_t thread) const;
  // Threads that wait on the condition and have not been signalled, first come first.
  std::vector<uint32_t> waiters(ObjectId condition) const;

 private:
  struct ThreadView {
    bool gave_way = false;
    std::vector<size_t> events;
    size_t done = 0;         // of `events`
    RunState::Asker next{};  // who asks for what, at the operation that it comes to next
  };

  PendingOperation pending(uint32_t thread) const;
  void look_up(uint32_t thread);

  const Trace trace_;
  const TraceObjects objects_;
  RunState now_;
  size_t position_ = 0;
  std::vector<ThreadView> threads_;
  uint32_t last_ = kNoIndex;  // the thread of the last event
};

}  // namespace heddle::trace
