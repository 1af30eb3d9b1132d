#include "trace/objects.h"

#include <algorithm>

#include "trace/locks.h"

namespace heddle::trace {

TraceObjects::TraceObjects(const Trace& trace) : trace_(trace) {
  name();
  learn();
}

uint32_t TraceObjects::add(ObjectId object) {
  const auto [at, fresh] = objects_.try_emplace(object, static_cast<uint32_t>(start_.objects.size()));
  if (fresh) start_.objects.push_back({});
  return at->second;
}

uint32_t TraceObjects::index(ObjectId object) const {
  const auto at = objects_.find(object);
  return at == objects_.end() ? 0 : at->second;
}

uint32_t TraceObjects::thread_of(ObjectId object) const {
  const auto at = threads_.find(object);
  return at == threads_.end() ? model::kNone : at->second;
}

void TraceObjects::name() {
  const auto threads = trace_.threads();
  for (uint32_t i = 0; i < threads.size(); ++i) {
    threads_.try_emplace(thread_object(threads[i].id), i);
    ids_.try_emplace(threads[i].id, i);
    if (model::has_object(threads[i].pending)) add(threads[i].object);
  }
  // A thread that nobody created was there from the beginning.
  start_.threads.resize(threads.size());
  for (model::ThreadNow& t : start_.threads) t.live = true;
  HeldLocks locks(threads.size());
  for (size_t i = 0; i < trace_.events().size(); ++i) {
    const Event& e = trace_.events()[i];
    if (is_memory(e.op)) continue;
    if (e.op == Op::kThreadCreate) {
      if (const uint32_t child = thread_of(e.object); child != model::kNone && child != 0) start_.threads[child].live = false;
    }
    if (!model::has_object(e.op)) continue;
    add(e.object);
    if (model::is_condition_wait(e.op)) {
      const ObjectId mutex = locks.mutex_of(e);
      waits_.emplace_back(i, mutex == kNoObject ? model::kNone : add(mutex));
    }
    locks.step(i, e);
  }
}

void TraceObjects::learn() {
  RunState now = start_;
  model::EventState state = now.view();
  for (size_t i = 0; i < trace_.events().size(); ++i) {
    if (is_memory(trace_.events()[i].op)) continue;
    const model::Happening h = happening(i);
    model::learn(start_.objects.data(), &state, h);
    model::apply(state, h);
  }
  for (uint32_t i = 0; i < start_.threads.size(); ++i) {
    const Thread& t = trace_.threads()[i];
    if (t.state == ThreadState::kFinished || !model::has_object(t.pending)) continue;
    const uint32_t object = index(t.object);
    model::learn_end(start_.objects.data(), now.objects[object], i, t.pending, object, t.state == ThreadState::kBlocked);
  }
}

model::Happening TraceObjects::happening(size_t event) const {
  const Event& e = trace_.events()[event];
  model::Happening h{e.op, e.flags, e.thread, 0, model::kNone, model::kNone, e.value};
  if (is_memory(e.op)) return h;
  if (row(e.op).family == Family::kThreads) {
    h.object = thread_of(e.object);
    if (e.op == Op::kThreadCreate) h.peer = h.object;
    return h;
  }
  h.object = index(e.object);
  if ((e.flags & kChoice) != 0) {
    if (const auto at = ids_.find(e.value); at != ids_.end()) h.peer = at->second;
  }
  if (model::is_condition_wait(e.op)) {
    const auto at = std::lower_bound(waits_.begin(), waits_.end(), std::pair<size_t, uint32_t>{event, 0});
    if (at != waits_.end() && at->first == event) h.mutex = at->second;
  }
  return h;
}

RunState::Asker TraceObjects::asker(uint32_t thread, Op op, ObjectId object) const {
  return {thread, row(op).family == Family::kThreads ? thread_of(object) : index(object)};
}

std::vector<uint32_t> RunState::waiters(uint32_t object) const {
  std::vector<uint32_t> queue;
  for (uint32_t i = 0; i < threads.size(); ++i) {
    if (threads[i].waits_on == object && !threads[i].woken) queue.push_back(i);
  }
  std::sort(queue.begin(), queue.end(), [&](uint32_t a, uint32_t b) { return threads[a].turn < threads[b].turn; });
  return queue;
}

}  // namespace heddle::trace
