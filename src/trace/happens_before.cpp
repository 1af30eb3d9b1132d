#include "trace/happens_before.h"

#include <algorithm>
#include <unordered_map>

#include "model/condition.h"
#include "trace/enabled.h"
#include "trace/locks.h"
#include "trace/patience.h"

namespace heddle::trace {

namespace {

bool counts(Family family, Edges edges) {
  switch (family) {
    case Family::kMutexes:
    case Family::kRwlocks:
    case Family::kSemaphores: return edges != Edges::kMust;
    case Family::kAtomics: return edges == Edges::kSync;
    case Family::kMemory:
    case Family::kCode:
    case Family::kTime:
    case Family::kProcesses: return false;
    case Family::kThreads:
    case Family::kConditions:
    case Family::kBarriers:
    case Family::kOnces:
    case Family::kFutexes:
    case Family::kSignals:
    case Family::kDescriptors: return true;
  }
  return true;
}

void join(std::vector<uint32_t>& into, const std::vector<uint32_t>& from) {
  for (size_t i = 0; i < into.size(); ++i) into[i] = std::max(into[i], from[i]);
}

bool includes(const std::vector<uint32_t>& big, const std::vector<uint32_t>& small) {
  for (size_t i = 0; i < big.size(); ++i) {
    if (small[i] > big[i]) return false;
  }
  return true;
}

}  // namespace

HappensBefore::HappensBefore(const Trace& trace, Edges edges) {
  const size_t threads = trace.threads().size();
  stamps_.reserve(trace.events().size());
  clocks_.push_back(Clock(threads));
  std::vector<uint32_t> now(threads, 0);  // each thread's clock
  std::unordered_map<ObjectId, Clock> released;
  HeldLocks locks(threads);

  for (size_t i = 0; i < trace.events().size(); ++i) {
    think();
    const Event& e = trace.events()[i];
    const uint32_t t = e.thread;
    Stamp stamp{t, e.number, now[t], now[t]};
    auto acquire = [&](ObjectId object) {
      const auto it = released.find(object);
      if (it == released.end() || includes(clocks_[now[t]], it->second)) return;
      Clock joined = clocks_[now[t]];
      join(joined, it->second);
      clocks_.push_back(std::move(joined));
      now[t] = static_cast<uint32_t>(clocks_.size() - 1);
    };
    auto release = [&](ObjectId object) {
      Clock& clock = released.try_emplace(object, Clock(threads)).first->second;
      join(clock, clocks_[now[t]]);
      clock[t] = std::max(clock[t], e.number);
    };
    const bool waits = model::is_condition_wait(e.op);
    const bool wakes = model::is_reacquire(e.op);
    const bool failed = (e.flags & (kFailed | kTimedOut | kSpurious)) != 0;
    const bool atomic = row(e.op).family == Family::kAtomics;
    if (e.object != kNoObject && counts(row(e.op).family, edges)) {
      if (has(e.op, kAcquires) && (!failed || atomic)) acquire(e.object);
    }
    const ObjectId mutex = waits || wakes ? locks.mutex_of(e) : kNoObject;
    if (wakes && mutex != kNoObject && edges != Edges::kMust) acquire(mutex);
    stamp.at = now[t];
    if (e.object != kNoObject && counts(row(e.op).family, edges)) {
      if (has(e.op, kReleases) && !waits && (!failed || !atomic)) release(e.object);
    }
    if (waits && mutex != kNoObject && edges != Edges::kMust) release(mutex);
    locks.step(i, e);
    stamps_.push_back(stamp);
  }
}

bool HappensBefore::reached(size_t i, uint32_t clock, size_t j) const {
  const Stamp& a = stamps_[i];
  const Stamp& b = stamps_[j];
  if (a.thread == b.thread) return a.number < b.number;
  return clocks_[clock][a.thread] >= a.number;
}

bool HappensBefore::before(size_t i, size_t j) const { return reached(i, stamps_[j].at, j); }
bool HappensBefore::before_reaching(size_t i, size_t j) const { return reached(i, stamps_[j].reaching, j); }

}  // namespace heddle::trace
