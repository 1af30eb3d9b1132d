#include "report/waits.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "model/condition.h"
#include "trace/enabled.h"
#include "trace/locks.h"

namespace heddle::report {

namespace {

// The signal that woke the thread for the last time, if all that it did then was to wait again.
size_t wasted_on(const Trace& trace, uint32_t thread) {
  const auto events = trace.events();
  std::vector<size_t> own;  // its last three operations, the last first
  for (size_t i = events.size(); i-- > 0 && own.size() < 3;) {
    if (events[i].thread == thread && !is_memory(events[i].op)) own.push_back(i);
  }
  auto waits = [&](size_t i) { return model::is_condition_wait(events[i].op); };
  if (own.size() < 3 || !waits(own[0]) || events[own[1]].op != Op::kCondReacquire || !waits(own[2])) return kNoDifference;
  for (size_t i = own[1]; i-- > own[2];) {
    const Event& e = events[i];
    if ((e.op == Op::kCondSignal || e.op == Op::kCondBroadcast) && e.object == events[own[1]].object) return i;
  }
  return kNoDifference;
}

// Where the holder took it, of a recursive one the first time: the program's own line, which the place of the call may lie below.
std::string taken_place(const Names& names, const HeldLocks& locks, const Thread& waiter) {
  const auto events = names.trace().events();
  size_t took = kNoDifference;
  if (waiter.holder < names.trace().threads().size()) {
    for (const HeldLock& lock : locks.held(waiter.holder)) {
      if (took == kNoDifference && lock.object == waiter.object) took = lock.event;
    }
  }
  for (size_t i = events.size(); i-- > 0 && took == kNoDifference;) {
    if (events[i].thread == waiter.holder && events[i].object == waiter.object && takes_lock(events[i])) took = i;
  }
  if (took != kNoDifference) {
    if (const auto calls = names.calls(took); !calls.empty()) return Names::place(calls.front());
  }
  return waiter.holder_site == kNoSite ? std::string() : names.place(waiter.holder_site);
}

// Where the initialisation began that is still under way.
size_t initialising(const Trace& trace, ObjectId once) {
  size_t begun = kNoDifference;
  for (size_t i = 0; i < trace.events().size(); ++i) {
    const Event& e = trace.events()[i];
    if (e.object != once || row(e.op).family != Family::kOnces) continue;
    if (has(e.op, kReleases)) {
      begun = kNoDifference;
    } else if (begun == kNoDifference) {
      begun = i;
    }
  }
  return begun;
}
std::string initialising_place(const Names& names, ObjectId once) {
  const size_t begun = initialising(names.trace(), once);
  if (begun == kNoDifference) return {};
  const auto calls = names.calls(begun);
  return calls.empty() ? names.place(names.trace().events()[begun].site) : Names::place(calls.front());
}

}  // namespace

WakeUps wake_ups(const Trace& trace) {
  WakeUps found;
  std::set<ObjectId> waited;  // what threads wait for in the end
  for (const Thread& t : trace.threads()) {
    if (t.state == ThreadState::kBlocked && row(t.pending).family == Family::kConditions) waited.insert(t.object);
  }
  if (waited.empty()) return found;
  EnabledWalk walk(trace);
  const auto events = trace.events();
  for (size_t i = 0; i < events.size(); ++i, walk.advance()) {
    const Event& e = events[i];
    if ((e.op != Op::kCondSignal && e.op != Op::kCondBroadcast) || !waited.contains(e.object)) continue;
    const size_t waiting = walk.waiters(e.object).size();
    if (waiting == 0) {
      found.lost = i;
    } else if (e.op == Op::kCondSignal && waiting > 1) {
      found.misdirected = i;
    }
  }
  // What came before the last one that could have helped decides nothing.
  if (found.misdirected != kNoDifference && found.lost != kNoDifference && found.lost < found.misdirected) found.lost = kNoDifference;
  for (uint32_t i = 0; i < trace.threads().size(); ++i) {
    if (trace.threads()[i].state != ThreadState::kBlocked || !waited.contains(trace.threads()[i].object)) continue;
    const size_t signal = wasted_on(trace, i);
    if (signal != kNoDifference && events[signal].op == Op::kCondSignal) found.wasted = signal;
  }
  return found;
}

std::optional<StaleWake> stale_wake(const Trace& trace, uint32_t thread, size_t end) {
  const auto events = trace.events();
  size_t wake = std::min(end, events.size());
  auto is_wake = [&](const Event& e) {
    return e.thread == thread && model::is_reacquire(e.op) && (e.flags & (kTimedOut | kSpurious)) == 0;
  };
  while (wake > 0 && !is_wake(events[wake - 1])) --wake;
  if (wake-- == 0) return std::nullopt;
  // Back to its wait: the signal in between, and who took the mutex after that.
  size_t wait = wake;
  while (wait > 0 && !(events[wait - 1].thread == thread && row(events[wait - 1].op).family == Family::kConditions)) --wait;
  if (wait-- == 0) return std::nullopt;
  HeldLocks locks(trace.threads().size());
  ObjectId mutex = kNoObject;
  std::optional<StaleWake> found;
  size_t signal = kNoDifference;
  for (size_t i = 0; i < wake; ++i) {
    const Event& e = events[i];
    if (i == wait) mutex = locks.mutex_of(e);
    const bool takes = mutex != kNoObject && ((takes_lock(e) && e.object == mutex) || (has(e.op, kAcquires) && locks.mutex_of(e) == mutex));
    locks.step(i, e);
    if (i <= wait || e.thread == thread) continue;
    const bool signals = (e.op == Op::kCondSignal || e.op == Op::kCondBroadcast) && e.object == events[wake].object;
    if (signals && signal == kNoDifference) signal = i;
    if (takes && signal != kNoDifference && !found) found = StaleWake{signal, i, wake};
  }
  return found;
}

std::vector<WaitEdge> wait_edges(Names& names) {
  const auto threads = names.trace().threads();
  HeldLocks locks(threads.size());
  for (size_t i = 0; i < names.trace().events().size(); ++i) locks.step(i, names.trace().events()[i]);
  // Who runs an initialisation is whom the others wait for.
  std::vector<uint32_t> holders;
  for (const Thread& t : threads) {
    const size_t begun = row(t.pending).family == Family::kOnces ? initialising(names.trace(), t.object) : kNoDifference;
    holders.push_back(begun == kNoDifference ? t.holder : names.trace().events()[begun].thread);
  }
  std::vector<WaitEdge> edges;
  for (uint32_t i = 0; i < threads.size(); ++i) {
    const Thread& t = threads[i];
    if (t.state != ThreadState::kBlocked) continue;
    WaitEdge w;
    w.thread = i;
    w.op = t.pending;
    w.object = t.object;
    w.at = t.stack.empty() ? names.place(t.site) : names.place(t.stack);
    w.holder = holders[i];
    w.taken_at = row(t.pending).family == Family::kOnces ? initialising_place(names, t.object) : taken_place(names, locks, t);
    uint32_t at = w.holder;
    for (size_t steps = 0; at < threads.size() && steps <= threads.size() && threads[at].state == ThreadState::kBlocked; ++steps) {
      if (at == i) {
        w.in_cycle = true;
        break;
      }
      at = holders[at];
    }
    edges.push_back(w);
  }
  // Those who only wait for the end of another come last.
  std::stable_partition(edges.begin(), edges.end(), [](const WaitEdge& w) { return w.op != Op::kThreadJoin || w.in_cycle; });
  return edges;
}

std::string awaited(Names& names, const WaitEdge& w) {
  const std::string name = names.object(w.object, w.op);
  return name.empty() && row(w.op).family == Family::kSignals ? "a signal" : name;
}

std::string wait_sentence(Names& names, const WaitEdge& w) {
  const Family family = row(w.op).family;
  const bool lock = family == Family::kMutexes || family == Family::kRwlocks;
  const char* what = lock ? "wants" : family == Family::kThreads ? "waits for the end of" : "waits for";
  std::string text = fmt::format("{} {} {} at {}", names.thread(w.thread), what, awaited(names, w), w.at);
  if (w.holder != kNoIndex && w.op != Op::kThreadJoin) {
    text += fmt::format(", which {} {}", w.holder == w.thread ? "it itself" : names.thread(w.holder),
                        family == Family::kOnces ? "runs" : "has");
    if (!w.taken_at.empty()) text += fmt::format(" since {}", w.taken_at);
  }
  return text;
}

}  // namespace heddle::report
