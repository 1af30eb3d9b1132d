#pragma once
// Enabled sets are not stored in a trace: they are rebuilt here from its events (contract "Operations and events"), by the blocking rules of
// the program's own synchronisation objects.
#include <map>
#include <vector>

#include "trace/locks.h"
#include "trace/trace.h"

namespace heddle {

enum class Standing : uint8_t {
  kBlocked,
  kEnabled,
  kTimeout,  // enabled only if its time-out fires
  kUnknown,  // depends on something that no event tells: the first value of a semaphore, a barrier's size, the outside world
};

// A live thread and the operation it stands before.
struct Stance {
  uint32_t thread;  // index
  uint32_t number;  // of the pending operation
  Op op;
  ObjectId object;
  SiteId site;
  Standing standing;
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
  std::vector<Stance> stances() const;
  bool live(uint32_t thread) const { return threads_[thread].live; }
  Stance stance(uint32_t thread) const;
  // Threads that wait on the condition and have not been signalled, first come first.
  std::vector<uint32_t> waiters(ObjectId condition) const;
  const HeldLocks& locks() const { return locks_; }

 private:
  struct ThreadView {
    bool live = false;
    bool signalled = false;
    bool gave_way = false;
    std::vector<size_t> events;
    size_t done = 0;  // of `events`
  };
  struct LockView {
    uint32_t owner = kNoIndex;
    uint32_t depth = 0;
    std::map<uint32_t, uint32_t> readers;
  };
  struct SemaphoreView {
    int64_t count = 0;  // lower bound
    bool exact = false;
  };

  void learn_semaphores();
  void take(const Event& event);
  Standing lock_standing(uint32_t thread, Op op, ObjectId object, size_t next) const;
  Standing model(uint32_t thread, Op op, ObjectId object, size_t next) const;

  const Trace trace_;
  size_t position_ = 0;
  std::vector<ThreadView> threads_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> births_;  // (parent, birth) -> index
  std::map<ObjectId, uint32_t> by_object_;                    // a thread's own object
  std::vector<uint32_t> created_;                             // by each thread so far
  HeldLocks locks_;
  std::map<ObjectId, LockView> lock_views_;
  std::map<ObjectId, SemaphoreView> semaphores_;
  std::map<ObjectId, std::vector<uint32_t>> queues_;  // conditions
  std::map<ObjectId, uint32_t> once_;                 // in progress, by whom
};

// A thread's own object, on which its creation, start, exit and join meet.
inline ObjectId thread_object(ThreadId id) { return make_object(ObjectKind::kThread, id, 0); }

}  // namespace heddle
