// Conflicts, reads-from pairs and behaviours of a trace; declared in happens_before.h.
#include <algorithm>
#include <optional>
#include <unordered_map>

#include "model/condition.h"
#include "trace/blocks.h"
#include "trace/happens_before.h"
#include "trace/known.h"
#include "trace/locks.h"
#include "trace/patience.h"

namespace heddle::trace {

namespace {

bool is_try(Op op) { return is_lock_request(op) && !has(op, kBlocks); }

}  // namespace

bool operations_conflict(Op a, Op b) {
  const Family family = row(a).family;
  if (is_memory(a) && is_memory(b)) return has(a, kWrites) || has(b, kWrites);
  if (family != row(b).family) return false;
  switch (family) {
    case Family::kMutexes:
    case Family::kRwlocks: {
      const bool destroys = a == Op::kMutexDestroy || b == Op::kMutexDestroy || a == Op::kRwDestroy || b == Op::kRwDestroy;
      if ((is_unlock(a) && is_try(b)) || (is_unlock(b) && is_try(a))) return true;
      return destroys || (is_lock_request(a) && is_lock_request(b) && !(is_shared_lock_request(a) && is_shared_lock_request(b)));
    }
    case Family::kConditions:
      return !model::is_reacquire(a) && !model::is_reacquire(b) &&
             (model::is_condition_wait(a) || model::is_condition_wait(b) || a == Op::kCondDestroy || b == Op::kCondDestroy);
    case Family::kSemaphores: return !has(a, kReleases) || !has(b, kReleases);
    case Family::kOnces: return !has(a, kReleases) && !has(b, kReleases);
    case Family::kFutexes:
    case Family::kSignals:
    case Family::kDescriptors: return true;
    case Family::kBarriers:
    case Family::kThreads:
    case Family::kTime:
    case Family::kProcesses:
    case Family::kCode:
    case Family::kMemory:
    case Family::kAtomics: return false;
  }
  return false;
}

bool writes(const Event& e) { return has(e.op, kWrites) && (e.flags & kFailed) == 0; }
bool reads(const Event& e) { return has(e.op, kReads); }

bool events_conflict(const Event& a, const Event& b) {
  if (a.object != b.object || a.object == kNoObject || a.thread == b.thread) return false;
  // A compare-and-swap that failed would have written in another order: it stays a writer here.
  return operations_conflict(a.op, b.op);
}

OrderWalk::Operation operation_of(const Trace& trace, const Event& e, ObjectId mutex, ObjectId block) {
  const bool chosen = (e.flags & (kChoice | kTimedOut | kSpurious)) != 0;
  return {e.thread, trace.thread_id(e), e.number, e.op, chosen, e.value, mutex, e.object, block};
}
bool only_reads(const Event& e) { return (is_memory(e.op) && !writes(e)) || e.op == Op::kBarrierLeave; }

namespace {

// The events on one object: of each thread and operation a list, in order. Of a thread's operations those that another event does not come
// after are the last ones, so that the ends of that range are found without a look at what lies between.
class Earlier {
 public:
  void push_back(size_t event, const Event& e) {
    const auto list = std::find_if(lists_.begin(), lists_.end(), [&](const List& l) { return l.thread == e.thread && l.op == e.op; });
    if (list != lists_.end()) {
      list->events.push_back(event);
    } else {
      lists_.push_back({e.thread, e.op, {event}});
    }
  }

  // Calls found(thread, earliest, nearest) for the events of other threads that conflict with one of `thread`, and were not before it.
  template <typename Conflicts, typename Before, typename Found>
  void unordered(uint32_t thread, Conflicts conflicts, Before before, Found found) const {
    for (const List& l : lists_) {
      think();
      if (l.thread == thread || !conflicts(l.op) || before(l.events.back())) continue;
      const size_t earliest = before(l.events.front()) ? *std::partition_point(l.events.begin(), l.events.end(), before) : l.events.front();
      found(l.thread, earliest, l.events.back());
    }
  }

 private:
  struct List {
    uint32_t thread;
    Op op;
    std::vector<size_t> events;
  };
  std::vector<List> lists_;
};

std::vector<EventPair> find_conflicts(const Trace& trace, const ConflictLimits& limits) {
  const auto events = trace.events();
  const auto must = order_of(trace, Edges::kMust);
  const auto locks = order_of(trace, Edges::kLocks);
  const Blocks blocks(trace);
  std::unordered_map<ObjectId, Earlier> by_object;  // blocks too
  std::unordered_map<ObjectId, Earlier> frees;      // by block
  std::vector<EventPair> pairs;
  struct End {
    size_t event = kNoWrite;  // for which the others are valid
    size_t nearest = 0, earliest = 0;
  };
  std::vector<End> ends(trace.threads().size());
  std::vector<uint32_t> touched;
  for (size_t j = 0; j < events.size() && pairs.size() < limits.pairs; ++j) {
    if (events[j].object == kNoObject) continue;
    const ObjectId block = blocks.of(events[j].object);
    // Of each other thread the nearest conflict and the earliest one that is not ordered: the ends of the range a switch may come from.
    touched.clear();
    const HappensBefore& order = is_memory(events[j].op) ? *locks : *must;
    const auto before = [&](size_t i) { return order.before_reaching(i, j); };
    const auto found = [&](uint32_t thread, size_t earliest, size_t nearest) {
      End& end = ends[thread];
      if (end.event != j) {
        if (touched.size() >= limits.each) return;
        end = {j, nearest, earliest};
        touched.push_back(thread);
      }
      end.earliest = std::min(end.earliest, earliest);
      end.nearest = std::max(end.nearest, nearest);
    };
    const auto others = [](Op) { return true; };
    Earlier& here = by_object[events[j].object];
    if (block != kNoObject && events[j].op == Op::kFree) {
      by_object[block].unordered(events[j].thread, others, before, found);
      frees[block].push_back(j, events[j]);
    } else {
      here.unordered(
          events[j].thread, [&](Op op) { return operations_conflict(op, events[j].op); }, before, found);
      if (const auto freed = frees.find(block); block != kNoObject && freed != frees.end())
        freed->second.unordered(events[j].thread, others, before, found);
    }
    for (uint32_t thread : touched) {
      pairs.push_back({ends[thread].nearest, j});
      if (ends[thread].earliest != ends[thread].nearest) pairs.push_back({ends[thread].earliest, j});
    }
    by_object[events[j].object].push_back(j, events[j]);
    if (block != kNoObject) by_object[block].push_back(j, events[j]);
  }
  std::sort(pairs.begin(), pairs.end(),
            [](const EventPair& a, const EventPair& b) { return a.first != b.first ? a.first < b.first : a.second < b.second; });
  return pairs;
}

}  // namespace

std::vector<EventPair> reversible_conflicts(const Trace& trace, const ConflictLimits& limits) {
  if (limits.pairs != ConflictLimits{}.pairs || limits.each != ConflictLimits{}.each) return find_conflicts(trace, limits);
  if (!known_of(trace).conflicts) {
    std::vector<EventPair> pairs = find_conflicts(trace, limits);
    known_of(trace).conflicts = std::move(pairs);
  }
  return *known_of(trace).conflicts;
}

std::vector<ReadsFrom> reads_from(const Trace& trace) {
  std::unordered_map<ObjectId, size_t> last;
  std::vector<ReadsFrom> pairs;
  for (size_t i = 0; i < trace.events().size(); ++i) {
    const Event& e = trace.events()[i];
    if (!is_memory(e.op) || e.object == kNoObject) continue;
    if (reads(e)) {
      const auto it = last.find(e.object);
      pairs.push_back({it == last.end() ? kNoWrite : it->second, i});
    }
    if (writes(e)) last[e.object] = i;
  }
  return pairs;
}

namespace {

void walk_order(const Trace& trace, KnownOfRun& known) {
  static thread_local OrderWalk walk;
  walk.reset();
  const Blocks blocks(trace);
  HeldLocks locks(trace.threads().size());
  std::vector<uint64_t>& hashes = known.states.emplace();
  hashes.reserve(trace.events().size());
  known.found.clear();
  known.found.reserve(trace.events().size());
  for (size_t i = 0; i < trace.events().size(); ++i) {
    think();
    const Event& e = trace.events()[i];
    known.found.push_back(walk.finds(operation_of(trace, e, locks.mutex_of(e), blocks.of(e.object))));
    locks.step(i, e);
    hashes.push_back(walk.ends(only_reads(e)));
  }
}

std::vector<uint64_t> find_behaviours(const Trace& trace) {
  struct Last {
    size_t any = kNoWrite;    // last event on the object
    size_t write = kNoWrite;  // last that is not a plain read
  };
  std::unordered_map<ObjectId, Last> objects;
  std::vector<uint64_t> seen;
  const auto events = trace.events();
  auto name = [&](size_t i) { return i == kNoWrite ? uint64_t{1} : mix(events[i].site, static_cast<uint64_t>(events[i].op)); };
  for (size_t i = 0; i < events.size(); ++i) {
    think();
    const Event& e = events[i];
    if (e.object == kNoObject || is_unlock(e.op) || row(e.op).family == Family::kThreads) continue;
    Last& last = objects[e.object];
    const bool only_reads = is_memory(e.op) && !writes(e);
    const size_t from = only_reads ? last.write : last.any;
    if (from != kNoWrite && events[from].thread != e.thread && events_conflict(events[from], e)) {
      seen.push_back(mix(name(from), name(i)));
    } else if (from == kNoWrite && reads(e)) {
      seen.push_back(mix(name(from), name(i)));
    }
    if ((e.flags & (kFailed | kTimedOut | kSpurious)) != 0) seen.push_back(mix(name(i), e.flags));
    last.any = i;
    if (!only_reads) last.write = i;
  }
  std::sort(seen.begin(), seen.end());
  seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
  return seen;
}

}  // namespace

namespace {

const KnownOfRun& walked(const Trace& trace) {
  KnownOfRun& known = known_of(trace);
  if (!known.states) walk_order(trace, known);
  return known;
}

}  // namespace

std::vector<uint64_t> order_hashes(const Trace& trace) { return *walked(trace).states; }

uint64_t order_hash(const Trace& trace) {
  const std::vector<uint64_t>& states = *walked(trace).states;
  return states.empty() ? 0 : states.back();
}

const std::vector<uint64_t>& found_by(const Trace& trace) { return walked(trace).found; }

std::vector<uint64_t> behaviours(const Trace& trace) {
  std::optional<std::vector<uint64_t>>& known = known_of(trace).behaviours;
  if (!known) known = find_behaviours(trace);
  return *known;
}

}  // namespace heddle::trace
