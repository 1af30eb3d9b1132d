#include "simplify/dependence.h"

#include <algorithm>

namespace heddle::simplify {

namespace {

// Keys of the access table for objects whose place in an allocation is known: one for each word, so that overlapping accesses of different
// width meet.
constexpr uint64_t kWord = 8;

bool passes_nothing(Op op) { return row(op).family == Family::kProcesses; }

}  // namespace

DependenceWalk::DependenceWalk(const Trace& trace)
    : locks_(trace.threads().size()), last_(trace.threads().size(), kNoIndex), birth_(trace.threads().size(), kNoIndex) {
  for (const ObjectRow& row : trace.objects()) {
    const ObjectKind kind = object_kind(row.id);
    const bool exact = kind == ObjectKind::kGlobal || kind == ObjectKind::kStack;
    const uint64_t base = mix(mix(static_cast<uint64_t>(kind), row.a), exact ? 0 : row.b);
    place_[row.id] = {base, exact ? row.b + row.offset : row.offset};
  }
  for (uint32_t i = 1; i < trace.threads().size(); ++i) children_[{trace.threads()[i].parent, trace.threads()[i].birth}] = i;
}

void DependenceWalk::access(uint64_t key, bool writes, uint32_t index, std::vector<uint32_t>& out) {
  Access& a = accesses_[key];
  if (a.writer != kNoIndex && (!writes || a.readers.empty())) out.push_back(a.writer);
  if (writes) {
    out.insert(out.end(), a.readers.begin(), a.readers.end());
    a.readers.clear();
    a.writer = index;
  } else {
    a.readers.push_back(index);
  }
}

void DependenceWalk::memory(const Event& e, uint32_t index, std::vector<uint32_t>& out) {
  const bool writes = has(e.op, kWrites) && (e.op != Op::kAtomicCas || (e.flags & kFailed) == 0);
  if (e.op == Op::kAllocate || e.op == Op::kFence) return;
  const auto at = place_.find(e.object);
  if (at == place_.end()) {
    access(e.object, writes, index, out);
    return;
  }
  const auto [base, offset] = at->second;
  const uint64_t size = std::clamp<uint64_t>(e.size, 1, 64 * kWord);
  for (uint64_t word = offset / kWord; word <= (offset + size - 1) / kWord; ++word) access(mix(base, word), writes, index, out);
}

void DependenceWalk::synchronisation(uint64_t object, uint32_t index, std::vector<uint32_t>& out) {
  const auto [at, fresh] = objects_.try_emplace(object, index);
  if (fresh) return;
  out.push_back(at->second);
  at->second = index;
}

void DependenceWalk::barrier(uint32_t index, bool both_ways, std::vector<uint32_t>& out) {
  for (uint32_t last : last_) {
    if (last != kNoIndex) out.push_back(last);
  }
  if (both_ways) wall_ = index;
}

void DependenceWalk::step(const Event& e, uint32_t index, std::vector<uint32_t>& out) {
  const size_t begin = out.size();
  if (last_[e.thread] != kNoIndex) {
    out.push_back(last_[e.thread]);
  } else if (birth_[e.thread] != kNoIndex) {
    out.push_back(birth_[e.thread]);
  }
  if (wall_ != kNoIndex) out.push_back(wall_);
  switch (row(e.op).family) {
    case Family::kThreads:
      if (e.op == Op::kThreadCreate) {
        const auto child = children_.find({e.thread, static_cast<uint32_t>(e.value)});
        if (child != children_.end()) birth_[child->second] = index;
      }
      if (e.op == Op::kThreadExit) exits_.push_back({e.object, index});
      if (e.op == Op::kThreadJoin || e.op == Op::kThreadTimedJoin || e.op == Op::kThreadTryJoin) {
        // Where the object does not name the joined thread, a join keeps behind every exit that it followed.
        const bool named = object_kind(e.object) == ObjectKind::kThread;
        for (const auto& [thread, exit] : exits_) {
          if (!named || thread == e.object) out.push_back(exit);
        }
      }
      if (e.op == Op::kThreadCancel || e.op == Op::kThreadKill) barrier(index, true, out);
      break;
    case Family::kConditions:
      if (const ObjectId mutex = locks_.mutex_of(e); mutex != kNoObject) synchronisation(mutex, index, out);
      synchronisation(e.object, index, out);
      break;
    case Family::kMutexes:
    case Family::kSemaphores:
    case Family::kRwlocks:
    case Family::kBarriers:
    case Family::kOnces: synchronisation(e.object, index, out); break;
    case Family::kFutexes:
      synchronisation(e.object, index, out);
      memory(e, index, out);
      break;
    case Family::kMemory:
    case Family::kAtomics: memory(e, index, out); break;
    case Family::kTime:
      if (e.op == Op::kSleep) barrier(index, false, out);  // may end once the others have let the clock go on
      break;
    case Family::kSignals: barrier(index, true, out); break;
    case Family::kDescriptors: synchronisation(1, index, out); break;
    case Family::kProcesses:
    case Family::kCode: break;
  }
  if (passes_nothing(e.op)) barrier(index, true, out);
  if ((e.flags & kTimedOut) != 0) barrier(index, false, out);
  std::sort(out.begin() + static_cast<std::ptrdiff_t>(begin), out.end());
  out.erase(std::unique(out.begin() + static_cast<std::ptrdiff_t>(begin), out.end()), out.end());
  std::erase(out, index);
  last_[e.thread] = index;
  locks_.step(index, e);
}

Dependence::Dependence(const Trace& trace) {
  const auto events = trace.events();
  DependenceWalk walk(trace);
  begin_.reserve(events.size() + 1);
  classes_.reserve(events.size());
  std::vector<uint32_t> predecessors;
  std::vector<uint64_t> names;
  for (size_t i = 0; i < events.size(); ++i) {
    begin_.push_back(static_cast<uint32_t>(edges_.size()));
    predecessors.clear();
    walk.step(events[i], static_cast<uint32_t>(i), predecessors);
    edges_.insert(edges_.end(), predecessors.begin(), predecessors.end());
    names.clear();
    for (uint32_t p : predecessors) names.push_back(classes_[p]);
    classes_.push_back(class_of(trace, events[i], names));
  }
  begin_.push_back(static_cast<uint32_t>(edges_.size()));
}

std::vector<bool> Dependence::past(std::span<const size_t> events) const {
  std::vector<bool> in(classes_.size());
  for (size_t e : events) in[e] = true;
  for (size_t i = in.size(); i-- > 0;) {
    if (!in[i]) continue;
    for (uint32_t p : before(i)) in[p] = true;
  }
  return in;
}

uint64_t class_of(const Trace& trace, const Event& e, std::span<const uint64_t> predecessors) {
  uint64_t sum = 0;  // the order in which predecessors were found says nothing
  for (uint64_t p : predecessors) sum += mix(p, 0xDE);
  const uint64_t choice = (e.flags & (kChoice | kTimedOut)) != 0 ? e.value + 1 : 0;
  return mix(mix(mix(trace.thread_id(e), e.number), mix(e.object, static_cast<uint64_t>(e.op))), mix(sum, choice));
}

std::vector<size_t> bug_events(const Trace& trace) {
  const auto events = trace.events();
  if (events.empty()) return {};
  if (trace.outcome().kind != OutcomeKind::kDeadlock) return {events.size() - 1};
  const auto threads = trace.threads();
  std::vector<bool> wanted(threads.size());
  bool cycle = false;
  for (size_t start = 0; start < threads.size(); ++start) {
    size_t at = start;
    for (size_t steps = 0; steps <= threads.size() && at < threads.size() && threads[at].state == ThreadState::kBlocked; ++steps) {
      at = threads[at].holder;
      if (at != start) continue;
      wanted[start] = cycle = true;
      break;
    }
  }
  std::vector<size_t> last(threads.size(), events.size());
  for (size_t i = 0; i < events.size(); ++i) last[events[i].thread] = i;
  std::vector<size_t> out;
  for (size_t t = 0; t < threads.size(); ++t) {
    if (last[t] < events.size() && (!cycle || wanted[t])) out.push_back(last[t]);
  }
  return out;
}

}  // namespace heddle::simplify
