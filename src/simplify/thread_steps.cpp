#include "simplify/thread_steps.h"

#include <algorithm>

#include "trace/locks.h"

namespace heddle::simplify {

namespace {

template <typename Key>
uint32_t index_of(std::unordered_map<Key, uint32_t>& names, Key key) {
  return names.try_emplace(key, static_cast<uint32_t>(names.size())).first->second;
}

}  // namespace

ThreadSteps::ThreadSteps(const Trace& trace)
    : events(trace.events().begin(), trace.events().end()),
      threads(trace.threads().begin(), trace.threads().end()),
      own(trace.threads().size()),
      objects(trace),
      start(objects.start()) {
  for (model::ObjectNow& o : start.objects) o.exact = true;
  for (uint32_t i = 0; i < events.size(); ++i) recorded_.push_back(i);
  if (trace.outcome().kind == OutcomeKind::kDeadlock) lengthen(trace);
  steps.resize(events.size());
  read(trace);
}

// A thread that waits in the end might have gone on like another that came to the same place and did.
void ThreadSteps::lengthen(const Trace& trace) {
  const size_t recorded = events.size();
  for (uint32_t t = 0; t < threads.size(); ++t) {
    Thread& mine = threads[t];
    if (mine.state != ThreadState::kBlocked || mine.pending == Op::kThreadJoin || is_lock_request(mine.pending)) continue;
    size_t from = kNoInterval;
    for (size_t i = 0; i < recorded; ++i) {
      const Event& e = events[i];
      if (e.thread == t || e.op != mine.pending || e.site != mine.site || threads[e.thread].entry != mine.entry) continue;
      if (trace.threads()[e.thread].state == ThreadState::kFinished) from = i;
    }
    if (from == kNoInterval) continue;
    const uint32_t other = events[from].thread;
    uint32_t number = 0;
    for (size_t i = 0; i < recorded; ++i) number += events[i].thread == t ? 1 : 0;
    for (size_t i = from; i < recorded; ++i) {
      if (events[i].thread != other) continue;
      Event e = events[i];
      e.thread = t;
      e.number = ++number;
      events.push_back(e);
      recorded_.push_back(static_cast<uint32_t>(i));
    }
    mine.state = ThreadState::kFinished;
    mine.pending = Op::kNone;
  }
}

void ThreadSteps::read_synchronisation(const Trace& trace, uint32_t index, RunState* now, std::vector<uint32_t>* woken_by) {
  const Event& e = events[index];
  Step& s = steps[index];
  s.happening = objects.happening(recorded_[index]);
  s.happening.thread = e.thread;
  if (index >= trace.events().size()) s.happening.peer = model::kNone;
  const model::Happening& h = s.happening;
  const std::vector<uint32_t>& mine = own[e.thread];
  if (model::is_lock_request(e.op) || model::is_unlock(e.op)) {
    s.lock = h.object;
    s.takes = takes_lock(e);
    s.gives_back = model::is_unlock(e.op);
  } else if (model::is_condition_wait(e.op)) {
    s.lock = h.mutex;
    s.gives_back = s.lock != model::kNone;
    (*woken_by)[e.thread] = kNoIndex;
  } else if (model::is_reacquire(e.op)) {
    s.lock = now->threads[e.thread].mutex;
    s.takes = s.lock != model::kNone;
    s.waker = (*woken_by)[e.thread];
    if (mine.size() > 1 && !has(e.op, kTimed)) steps[mine[mine.size() - 2]].may_avoid = s.waker != kNoIndex;
  }
  std::vector<uint32_t> waiting;
  if (model::is_wake(e.op)) waiting = now->waiters(h.object);
  now->apply(h);
  for (uint32_t w : waiting) {
    if (now->threads[w].woken) (*woken_by)[w] = index;
  }
}

void ThreadSteps::read(const Trace& trace) {
  RunState now = start;
  std::unordered_map<ObjectId, uint32_t> memory, exits;
  std::vector<uint32_t> last_writer, birth(own.size(), kNoIndex);
  std::vector<uint32_t> woken_by(own.size(), kNoIndex);
  for (uint32_t i = 0; i < events.size(); ++i) {
    const Event& e = events[i];
    Step& s = steps[i];
    if (own[e.thread].empty()) s.behind = birth[e.thread];
    own[e.thread].push_back(i);
    if (!is_memory(e.op)) {
      read_synchronisation(trace, i, &now, &woken_by);
      if (e.op == Op::kThreadCreate && s.happening.peer != model::kNone) birth[s.happening.peer] = i;
      if (e.op == Op::kThreadExit) exits[e.object] = i;
      if (e.op == Op::kThreadJoin) {
        if (const auto exit = exits.find(e.object); exit != exits.end()) s.behind = exit->second;
      }
      continue;
    }
    s.happening.op = e.op;
    s.happening.thread = e.thread;
    if (!has(e.op, kReads) && !has(e.op, kWrites)) continue;
    const uint32_t place = index_of(memory, e.object);
    last_writer.resize(memory.size(), kNoIndex);
    if (has(e.op, kReads)) {
      s.reads = place;
      s.writer = last_writer[place];
    }
    if (has(e.op, kWrites) && (e.flags & kFailed) == 0) {
      s.writes = place;
      last_writer[place] = i;
    }
  }
  places = memory.size();
  if (trace.outcome().kind == OutcomeKind::kDeadlock) forget_counters();
}

// What a thread reads where it always goes on alike is nothing that its way depends on: such reads may see another value.
void ThreadSteps::forget_counters() {
  struct Next {
    SiteId site;
    size_t times = 0;
    bool differs = false;
  };
  std::unordered_map<uint64_t, Next> after;  // by the place and how often its thread had been there
  std::vector<uint64_t> names(events.size());
  for (const std::vector<uint32_t>& mine : own) {
    std::unordered_map<SiteId, uint64_t> times;
    for (size_t p = 0; p < mine.size(); ++p) {
      const SiteId site = events[mine[p]].site;
      const SiteId next = p + 1 < mine.size() ? events[mine[p + 1]].site : kNoSite;
      names[mine[p]] = mix(site, ++times[site]);
      Next& n = after.try_emplace(names[mine[p]], Next{next}).first->second;
      ++n.times;
      n.differs |= n.site != next;
    }
  }
  for (size_t i = 0; i < events.size(); ++i) {
    const Next& n = after.at(names[i]);
    if (n.times > 1 && !n.differs) steps[i].reads = kNoIndex;
  }
}

}  // namespace heddle::simplify
