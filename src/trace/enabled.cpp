#include "trace/enabled.h"

namespace heddle::trace {

EnabledWalk::EnabledWalk(const Trace& trace) : trace_(trace), objects_(trace), now_(objects_.start()), threads_(trace.threads().size()) {
  for (size_t i = 0; i < trace_.events().size(); ++i) threads_[trace_.events()[i].thread].events.push_back(i);
  for (uint32_t i = 0; i < threads_.size(); ++i) look_up(i);
}

void EnabledWalk::look_up(uint32_t thread) {
  const PendingOperation s = pending(thread);
  threads_[thread].next = objects_.asker(thread, s.op, s.object);
}

void EnabledWalk::advance() {
  const Event& e = trace_.events()[position_];
  if (last_ != kNoIndex) threads_[last_].gave_way = false;
  last_ = e.thread;
  ThreadView& self = threads_[e.thread];
  self.gave_way = has(e.op, kYields) || (e.flags & kSpin) != 0;
  ++self.done;
  if (!is_memory(e.op)) now_.apply(objects_.happening(position_));
  ++position_;
  look_up(e.thread);
}

// The operation that the thread comes to next.
PendingOperation EnabledWalk::pending(uint32_t thread) const {
  const ThreadView& view = threads_[thread];
  const Thread& t = trace_.threads()[thread];
  PendingOperation s{};
  s.thread = thread;
  s.gave_way = view.gave_way;
  s.next = view.done < view.events.size() ? view.events[view.done] : trace_.events().size();
  if (s.next < trace_.events().size()) {
    const Event& e = trace_.events()[s.next];
    s.number = e.number;
    s.op = e.op;
    s.object = e.object;
    s.site = e.site;
  } else {
    s.number = (view.events.empty() ? 0 : trace_.events()[view.events.back()].number) + 1;
    s.op = t.pending;
    s.object = t.object;
    s.site = t.site;
  }
  return s;
}

PendingOperation EnabledWalk::pending_operation(uint32_t thread) const {
  PendingOperation s = pending(thread);
  if (s.next == position_ && !done()) {
    s.ready = (trace_.events()[s.next].flags & kTimedOut) != 0 ? Ready::kTimeout : Ready::kYes;
  } else {
    s.ready = now_.ready(s.op, threads_[thread].next);
    // At the end of the run its own word is better than the model's.
    if (done() && s.ready == Ready::kUnknown) s.ready = trace_.threads()[thread].state == ThreadState::kBlocked ? Ready::kNo : Ready::kYes;
  }
  return s;
}

std::vector<PendingOperation> EnabledWalk::pending_operations() const {
  std::vector<PendingOperation> all;
  for (uint32_t i = 0; i < threads_.size(); ++i) {
    if (live(i)) all.push_back(pending_operation(i));
  }
  return all;
}

std::vector<uint32_t> EnabledWalk::waiters(ObjectId condition) const { return now_.waiters(objects_.index(condition)); }

}  // namespace heddle::trace
