#include "machine.h"

#include <cstring>
#include <set>

namespace fuzz {

namespace {

size_t at(int index) { return static_cast<size_t>(index); }

bool is_access(Kind kind) {
  return kind == Kind::kLoad || kind == Kind::kStore || kind == Kind::kAtomicLoad || kind == Kind::kAtomicStore ||
         kind == Kind::kAtomicAdd || kind == Kind::kAtomicCas;
}

bool lets_others_go_on(Kind kind) {
  return kind == Kind::kUnlock || kind == Kind::kSignal || kind == Kind::kBroadcast || kind == Kind::kSemPost || kind == Kind::kRwUnlock ||
         kind == Kind::kCreate;
}

}  // namespace

State Machine::first() const {
  State s;
  memset(&s, 0, sizeof s);
  s.current = -1;
  s.threads[0].life = Life::kLive;
  for (int i = 0; i < kMaxObjects; ++i) s.semaphore[at(i)] = static_cast<Word>(program_.semaphores[at(i)]);
  return s;
}

Word Machine::value(const Expression& e, const ThreadState& t) const {
  return static_cast<Word>(e.constant + (e.reg < 0 ? 0 : t.registers[at(e.reg)]));
}

bool Machine::holds(const State& s, const Comparison& c, const ThreadState& t) const {
  const int left = c.sort == 'r' ? t.registers[at(c.index)] : c.sort == 'p' ? s.plain[at(c.index)] : s.atomic[at(c.index)];
  return c.op == '=' ? left == c.constant : c.op == '!' ? left != c.constant : left < c.constant;
}

Can Machine::can(const State& s, int thread) const {
  const ThreadState& t = s.threads[at(thread)];
  if (t.life != Life::kLive) return Can::kNo;
  if (t.phase == Phase::kEnding || t.phase == Phase::kStart || t.phase == Phase::kReleased || t.phase == Phase::kInside ||
      t.phase == Phase::kStoring || t.phase == Phase::kLeaving)
    return Can::kYes;
  const Statement& st = statement(t, thread);
  const auto blocking = [](bool free) { return free ? Can::kYes : Can::kNo; };
  const auto timed = [&](bool free) { return free || s.clock >= t.deadline ? Can::kYes : Can::kByTimeout; };
  if (t.phase == Phase::kWoken) {
    if (st.kind == Kind::kBarrier) return blocking(t.signalled != 0);
    if (s.mutex[at(st.second)] != 0) return Can::kNo;
    return st.kind == Kind::kWait ? blocking(t.signalled != 0) : timed(t.signalled != 0);
  }
  switch (st.kind) {
    case Kind::kLock: return blocking(s.mutex[at(st.object)] == 0);
    case Kind::kTimedLock: return timed(s.mutex[at(st.object)] == 0);
    case Kind::kSemWait: return blocking(s.semaphore[at(st.object)] > 0);
    case Kind::kSemTimed: return timed(s.semaphore[at(st.object)] > 0);
    case Kind::kReadLock: return blocking(s.writer[at(st.object)] == 0);
    case Kind::kTimedRead: return timed(s.writer[at(st.object)] == 0);
    case Kind::kWriteLock: return blocking(s.writer[at(st.object)] == 0 && s.readers[at(st.object)] == 0);
    case Kind::kTimedWrite: return timed(s.writer[at(st.object)] == 0 && s.readers[at(st.object)] == 0);
    case Kind::kOnce: return blocking(s.once[at(st.object)] != 1);
    case Kind::kJoin: return blocking(s.threads[at(st.object)].life == Life::kEnded);
    case Kind::kSleep: return timed(false);
    default: return Can::kYes;
  }
}

bool Machine::is_point(const State& s, const Statement& st) const {
  if (is_access(st.kind)) return points_ == Points::kAccesses;
  // What was initialised long ago is passed without a point.
  if (st.kind == Kind::kOnce) return s.once[at(st.object)] != 2;
  return st.kind != Kind::kIf && st.kind != Kind::kWhile && st.kind != Kind::kEnd && st.kind != Kind::kAssert && st.kind != Kind::kNever;
}

void Machine::access(State& s, int thread, const Statement& st) const {
  ThreadState& t = s.threads[at(thread)];
  switch (st.kind) {
    case Kind::kLoad: t.registers[at(st.reg)] = s.plain[at(st.object)]; break;
    case Kind::kStore: s.plain[at(st.object)] = value(st.value, t); break;
    case Kind::kAtomicLoad: t.registers[at(st.reg)] = s.atomic[at(st.object)]; break;
    case Kind::kAtomicStore: s.atomic[at(st.object)] = value(st.value, t); break;
    case Kind::kAtomicAdd: {
      const Word added = value(st.value, t);
      t.registers[at(st.reg)] = s.atomic[at(st.object)];
      s.atomic[at(st.object)] = static_cast<Word>(s.atomic[at(st.object)] + added);
      break;
    }
    case Kind::kAtomicCas: {
      const Word desired = value(st.value, t);
      const bool equal = s.atomic[at(st.object)] == st.from;
      t.registers[at(st.reg)] = equal ? 1 : 0;
      if (equal) s.atomic[at(st.object)] = desired;
      break;
    }
    default: break;
  }
}

// Runs on from the statement at `at` to the next operation.
void Machine::arrive(Result& r, int thread) const {
  State& s = r.state;
  ThreadState& t = s.threads[at(thread)];
  const auto& code = program_.threads[at(thread)];
  for (;;) {
    if (at(t.at) == code.size()) {
      t.phase = Phase::kEnding;
      return;
    }
    const Statement& st = code[at(t.at)];
    if (is_point(s, st)) {
      t.phase = Phase::kBefore;
      if (st.time >= 0) t.deadline = static_cast<Word>(s.clock + (1 << st.time));
      return;
    }
    switch (st.kind) {
      case Kind::kIf:
      case Kind::kWhile: t.at = static_cast<Word>(holds(s, st.condition, t) ? t.at + 1 : st.jump); continue;
      case Kind::kEnd: t.at = static_cast<Word>(st.jump >= 0 ? st.jump : t.at + 1); continue;
      case Kind::kAssert:
        if (!holds(s, st.condition, t)) r.failure = "assert " + place(thread, t.at);
        break;
      case Kind::kNever: {
        bool all = !st.outcome.empty();
        for (const Comparison& c : st.outcome) all = all && holds(s, c, t);
        if (all) r.failure = "assert " + place(thread, t.at);
        break;
      }
      default: access(s, thread, st);
    }
    if (!r.failure.empty()) return;
    ++t.at;
  }
}

std::vector<int> Machine::waiters(const State& s, int condition) const {
  std::vector<int> found;
  for (int i = 0; i < static_cast<int>(program_.threads.size()); ++i) {
    const ThreadState& t = s.threads[at(i)];
    if (t.life != Life::kLive || t.phase != Phase::kWoken || t.signalled != 0) continue;
    const Statement& st = statement(t, i);
    if ((st.kind == Kind::kWait || st.kind == Kind::kTimedWait) && st.object == condition) found.push_back(i);
  }
  return found;
}

// The operation itself; afterwards the thread stands behind it, or before its other half.
void Machine::perform(Result& r, int thread) const {
  State& s = r.state;
  ThreadState& t = s.threads[at(thread)];
  if (t.phase == Phase::kStart || t.phase == Phase::kReleased) return arrive(r, thread);
  if (t.phase == Phase::kEnding) {
    r.over = thread == 0;
    t.life = Life::kEnded;
    t.deadline = 0;
    t.registers = {};
    return;
  }
  const Statement& st = statement(t, thread);
  const auto next = [&] {
    t.deadline = 0;
    t.signalled = 0;
    ++t.at;
    if (points_ == Points::kReleases && lets_others_go_on(st.kind)) {
      t.phase = Phase::kReleased;
      return;
    }
    arrive(r, thread);
  };
  const auto attempt = [&](bool free) {
    if (st.reg >= 0) t.registers[at(st.reg)] = free ? 1 : 0;
    return free;
  };
  const auto owner = static_cast<Word>(thread + 1);
  const auto bit = static_cast<Word>(1 << thread);
  // The function of a once: a load and a store, points where accesses are.
  if (t.phase == Phase::kInside || t.phase == Phase::kStoring || t.phase == Phase::kLeaving) {
    if (t.phase == Phase::kInside) {
      t.scratch = s.plain[at(st.second)];
      t.phase = Phase::kStoring;
      if (points_ == Points::kAccesses) return;
    }
    if (t.phase == Phase::kStoring) {
      s.plain[at(st.second)] = static_cast<Word>(t.scratch + 1);
      t.scratch = 0;
      t.phase = Phase::kLeaving;
      return;
    }
    s.once[at(st.object)] = 2;
    return next();
  }
  if (t.phase == Phase::kWoken) {
    if (st.kind == Kind::kTimedWait) t.registers[at(st.reg)] = t.signalled;
    if (st.kind != Kind::kBarrier) s.mutex[at(st.second)] = owner;
    return next();
  }
  switch (st.kind) {
    case Kind::kLock:
    case Kind::kTryLock:
    case Kind::kTimedLock:
      if (attempt(s.mutex[at(st.object)] == 0)) s.mutex[at(st.object)] = owner;
      break;
    case Kind::kUnlock:
      if (s.mutex[at(st.object)] != owner) r.failure = "misuse " + place(thread, t.at);
      s.mutex[at(st.object)] = 0;
      break;
    case Kind::kWait:
    case Kind::kTimedWait:
      if (s.mutex[at(st.second)] != owner) {
        r.failure = "misuse " + place(thread, t.at);
        return;
      }
      s.mutex[at(st.second)] = 0;
      t.signalled = 0;
      t.phase = Phase::kWoken;
      return;
    case Kind::kBroadcast:
      for (int w : waiters(s, st.object)) s.threads[at(w)].signalled = 1;
      break;
    case Kind::kSemWait:
    case Kind::kSemTry:
    case Kind::kSemTimed:
      if (attempt(s.semaphore[at(st.object)] > 0)) --s.semaphore[at(st.object)];
      break;
    case Kind::kSemPost: ++s.semaphore[at(st.object)]; break;
    case Kind::kReadLock:
    case Kind::kTryRead:
    case Kind::kTimedRead:
      if (attempt(s.writer[at(st.object)] == 0)) s.readers[at(st.object)] = static_cast<Word>(s.readers[at(st.object)] | bit);
      break;
    case Kind::kWriteLock:
    case Kind::kTryWrite:
    case Kind::kTimedWrite:
      if (attempt(s.writer[at(st.object)] == 0 && s.readers[at(st.object)] == 0)) s.writer[at(st.object)] = owner;
      break;
    case Kind::kRwUnlock:
      if (s.writer[at(st.object)] == owner) {
        s.writer[at(st.object)] = 0;
      } else if ((s.readers[at(st.object)] & bit) != 0) {
        s.readers[at(st.object)] = static_cast<Word>(s.readers[at(st.object)] & ~bit);
      } else {
        r.failure = "misuse " + place(thread, t.at);
      }
      break;
    case Kind::kBarrier: {
      t.phase = Phase::kWoken;
      t.signalled = 0;
      if (++s.arrived[at(st.object)] < program_.barriers[at(st.object)]) return;
      s.arrived[at(st.object)] = 0;
      for (int i = 0; i < static_cast<int>(program_.threads.size()); ++i) {
        ThreadState& other = s.threads[at(i)];
        if (other.life != Life::kLive || other.phase != Phase::kWoken) continue;
        const Statement& waits = statement(other, i);
        if (waits.kind == Kind::kBarrier && waits.object == st.object) other.signalled = 1;
      }
      return;
    }
    case Kind::kOnce:
      if (s.once[at(st.object)] == 2) break;
      s.once[at(st.object)] = 1;
      t.phase = Phase::kInside;
      if (points_ != Points::kAccesses) {
        ++s.plain[at(st.second)];
        t.phase = Phase::kLeaving;
      }
      return;
    case Kind::kCreate: s.threads[at(st.object)].life = Life::kLive; break;
    case Kind::kSleep:
    case Kind::kYield: s.gave_way = 1; break;
    case Kind::kJoin:
    case Kind::kSignal: break;
    default: access(s, thread, st);
  }
  if (r.failure.empty()) next();
}

std::vector<Machine::Result> Machine::step(const State& before, int thread) const {
  Result r;
  r.state = before;
  State& s = r.state;
  const ThreadState& t = s.threads[at(thread)];
  if (can(s, thread) == Can::kByTimeout) s.clock = t.deadline;
  s.current = static_cast<Word>(thread);
  s.gave_way = 0;
  std::vector<Result> all;
  if (t.phase == Phase::kBefore && statement(t, thread).kind == Kind::kSignal) {
    for (int w : waiters(s, statement(t, thread).object)) {
      all.push_back(r);
      all.back().state.threads[at(w)].signalled = 1;
    }
  }
  if (all.empty()) all.push_back(r);
  for (Result& each : all) perform(each, thread);
  return all;
}

int Machine::holder(const State& s, int thread) const {
  const ThreadState& t = s.threads[at(thread)];
  if (t.life != Life::kLive || (t.phase != Phase::kBefore && t.phase != Phase::kWoken)) return -1;
  const Statement& st = statement(t, thread);
  if (t.phase == Phase::kWoken) return st.kind == Kind::kWait && t.signalled != 0 ? s.mutex[at(st.second)] - 1 : -1;
  switch (st.kind) {
    case Kind::kLock: return s.mutex[at(st.object)] - 1;
    case Kind::kReadLock: return s.writer[at(st.object)] - 1;
    case Kind::kWriteLock:
      if (s.writer[at(st.object)] != 0) return s.writer[at(st.object)] - 1;
      for (int i = 0; i < kMaxThreads; ++i) {
        if ((s.readers[at(st.object)] & (1 << i)) != 0) return i;
      }
      return -1;
    case Kind::kJoin: return st.object;
    default: return -1;
  }
}

bool Machine::closes_cycle(const State& s, int thread) const {
  int who = thread;
  for (int hops = 0; hops <= kMaxThreads; ++hops) {
    if (s.threads[at(who)].life != Life::kLive || can(s, who) != Can::kNo) return false;
    who = holder(s, who);
    if (who < 0) return false;
    if (who == thread) return true;
  }
  return false;
}

// Named by the places of the threads in a cycle of owners, or else of all that are blocked other than in a join.
std::string Machine::deadlock(const State& s) const {
  std::set<std::string> places;
  const int count = static_cast<int>(program_.threads.size());
  for (int i = 0; i < count; ++i) {
    if (closes_cycle(s, i)) places.insert(place(i, s.threads[at(i)].at));
  }
  const bool cycle = !places.empty();
  for (int i = 0; i < count && !cycle; ++i) {
    const ThreadState& t = s.threads[at(i)];
    if (t.life == Life::kLive && can(s, i) == Can::kNo && statement(t, i).kind != Kind::kJoin) places.insert(place(i, t.at));
  }
  std::string text = "deadlock";
  for (const std::string& p : places) text += " " + p;
  return text;
}

std::string Machine::outcome(const State& s) const {
  std::string text;
  for (int i = 0; i < kMaxVariables; ++i)
    text += (i == 0 ? "" : " ") + std::string("p") + std::to_string(i) + "==" + std::to_string(s.plain[at(i)]);
  for (int i = 0; i < kMaxObjects; ++i) text += " a" + std::to_string(i) + "==" + std::to_string(s.atomic[at(i)]);
  return text;
}

}  // namespace fuzz
