#pragma once
// The model (model/machine.h) over the events of a trace.
#include <unordered_map>
#include <vector>

#include "model/events.h"
#include "model/learn.h"
#include "model/machine.h"
#include "trace/trace.h"

namespace heddle::trace {

// A thread's own object, on which its creation, start, exit and join meet.
inline ObjectId thread_object(ThreadId id) { return make_object(ObjectKind::kThread, id, 0); }

// How far a run is: what its objects and threads are at the moment.
struct RunState {
  using Asker = model::EventFacts::Asker;
  std::vector<model::ObjectNow> objects = std::vector<model::ObjectNow>(1);  // the first one is nobody's
  std::vector<model::ThreadNow> threads;
  uint64_t clock = 0;

  Ready ready(Op op, const Asker& asker) const { return model::ready(model::EventFacts(objects.data(), threads.data(), clock), op, asker); }
  model::EventState view() { return {objects.data(), threads.data(), static_cast<uint32_t>(threads.size()), clock}; }
  void apply(const model::Happening& h) {
    model::EventState state = view();
    model::apply(state, h);
  }
  // On a condition, first come first.
  std::vector<uint32_t> waiters(uint32_t object) const;
};

// The names of a trace as the model's numbers, and what the whole run tells about its objects.
class TraceObjects {
 public:
  explicit TraceObjects(const Trace& trace);

  model::Happening happening(size_t event) const;
  RunState::Asker asker(uint32_t thread, Op op, ObjectId object) const;
  // 0 for an object that no operation of the trace synchronises by.
  uint32_t index(ObjectId object) const;
  // Before the first event.
  const RunState& start() const { return start_; }

 private:
  void name();
  void learn();
  uint32_t add(ObjectId object);
  uint32_t thread_of(ObjectId object) const;

  const Trace trace_;
  RunState start_;
  std::unordered_map<ObjectId, uint32_t> objects_;
  std::unordered_map<ObjectId, uint32_t> threads_;  // by their own objects
  std::unordered_map<ThreadId, uint32_t> ids_;
  std::vector<std::pair<size_t, uint32_t>> waits_;  // the condition waits, and the mutex that each gives back
};

}  // namespace heddle::trace
