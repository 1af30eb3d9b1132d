#include "simplify/script.h"

#include <algorithm>
#include <span>

#include "trace/locks.h"

namespace heddle {

namespace {

template <typename Key>
uint32_t index_of(std::unordered_map<Key, uint32_t>& names, Key key) {
  return names.try_emplace(key, static_cast<uint32_t>(names.size())).first->second;
}

// Whom a signal woke: the one it names, else the one that has waited longest; a broadcast everybody.
void note_wake(const Trace& trace, std::span<const Event> events, const Event& e, uint32_t index, std::vector<uint32_t>& waiting,
               std::vector<uint32_t>& woken_by) {
  if (waiting.empty()) return;
  if (e.op == Op::kCondBroadcast) {
    for (uint32_t w : waiting) woken_by[events[w].thread] = index;
    waiting.clear();
    return;
  }
  auto chosen = waiting.begin();
  for (auto w = waiting.begin(); w != waiting.end(); ++w) {
    if ((e.flags & kChoice) != 0 && trace.thread_id(events[*w]) == e.value) chosen = w;
  }
  woken_by[events[*chosen].thread] = index;
  waiting.erase(chosen);
}

}  // namespace

Script::Script(const Trace& trace)
    : events(trace.events().begin(), trace.events().end()),
      threads(trace.threads().begin(), trace.threads().end()),
      own(trace.threads().size()) {
  if (trace.outcome().kind == OutcomeKind::kDeadlock) lengthen(trace);
  steps.resize(events.size());
  read(trace);
}

// A thread that waits in the end might have gone on like another that came to the same place and did.
void Script::lengthen(const Trace& trace) {
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
    }
    mine.state = ThreadState::kFinished;
    mine.pending = Op::kNone;
  }
}

void Script::read(const Trace& trace) {
  HeldLocks held(own.size());
  std::unordered_map<ObjectId, uint32_t> memory, exits;
  std::vector<uint32_t> last_writer, birth(own.size(), kNoIndex);
  std::vector<std::vector<uint32_t>> waiting;  // wait events on each condition
  std::vector<int32_t> balance;
  std::unordered_map<uint64_t, uint32_t> children;
  for (uint32_t i = 1; i < own.size(); ++i) children[mix(trace.threads()[i].parent, trace.threads()[i].birth)] = i;
  std::vector<uint32_t> woken_by(own.size(), kNoIndex);
  for (uint32_t i = 0; i < events.size(); ++i) {
    const Event& e = events[i];
    Step& s = steps[i];
    if (own[e.thread].empty()) s.behind = birth[e.thread];
    own[e.thread].push_back(i);
    const Family family = row(e.op).family;
    if (e.op == Op::kThreadCreate) {
      if (const auto child = children.find(mix(e.thread, e.value)); child != children.end()) birth[child->second] = i;
    } else if (e.op == Op::kThreadExit) {
      exits[e.object] = i;
    } else if (e.op == Op::kThreadJoin) {
      s.kind = StepKind::kBehind;
      if (const auto exit = exits.find(e.object); exit != exits.end()) s.behind = exit->second;
    } else if (family == Family::kConditions) {
      s.object = index_of(conditions, e.object);
      waiting.resize(conditions.size());
      if (const ObjectId mutex = held.mutex_of(e); mutex != kNoObject) s.lock = index_of(locks, mutex);
      if (e.op == Op::kCondWait) {
        s.kind = StepKind::kWait;
        waiting[s.object].push_back(i);
      } else if (e.op == Op::kCondReacquire) {
        s.kind = StepKind::kReacquire;
        s.waker = woken_by[e.thread];
        const std::vector<uint32_t>& mine = own[e.thread];
        if (mine.size() > 1) steps[mine[mine.size() - 2]].may_avoid = s.waker != kNoIndex;
      } else if (e.op == Op::kCondSignal || e.op == Op::kCondBroadcast) {
        s.kind = e.op == Op::kCondSignal ? StepKind::kSignal : StepKind::kBroadcast;
        note_wake(trace, events, e, i, waiting[s.object], woken_by);
      }
    } else if (e.op == Op::kSemWait || e.op == Op::kSemPost) {
      s.kind = e.op == Op::kSemWait ? StepKind::kSemWait : StepKind::kSemPost;
      s.object = index_of(semaphores, e.object);
      balance.resize(semaphores.size());
      first_credit.resize(semaphores.size());
      if (i < trace.events().size()) balance[s.object] += e.op == Op::kSemPost ? 1 : -1;
      first_credit[s.object] = std::max(first_credit[s.object], -balance[s.object]);
    } else if (is_lock_request(e.op) || is_unlock(e.op)) {
      s.lock = index_of(locks, e.object);
      if (takes_lock(e)) s.kind = StepKind::kLock;
      if (is_unlock(e.op)) s.kind = StepKind::kUnlock;
    } else if ((family == Family::kMemory || family == Family::kAtomics) && (has(e.op, kReads) || has(e.op, kWrites))) {
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
    held.step(i, e);
  }
  places = memory.size();
  if (trace.outcome().kind == OutcomeKind::kDeadlock) forget_counters();
  for (const Thread& t : trace.threads()) {
    if (t.state == ThreadState::kBlocked && is_lock_request(t.pending)) index_of(locks, t.object);
  }
}

// What a thread reads where it always goes on alike is nothing that its way depends on: such reads may see another value.
void Script::forget_counters() {
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

}  // namespace heddle
