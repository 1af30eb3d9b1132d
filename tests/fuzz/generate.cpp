// Random programs, made of the pieces that thread programs are made of. Small, since all of their schedules are to be seen.
#include <algorithm>

#include "explore.h"

namespace fuzz {

namespace {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() {  // splitmix64
    uint64_t z = (state_ += 0x9E3779B97F4A7C15U);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }
  int below(int count) { return static_cast<int>(next() % static_cast<uint64_t>(count)); }
  bool chance(int percent) { return below(100) < percent; }

 private:
  uint64_t state_;
};

constexpr int kShared = 3;           // p0, p1, p2; a thread's own results go to p3 and up
constexpr double kMostAtOne = 1500;  // schedules with at most one preemption
// In a hundred, of those that come about by chance:
constexpr int kBoring = 20;  // the outcome does not depend on the schedule
constexpr int kBroken = 15;  // fails without a preemption, mostly in a deadlock

class Writer {
 public:
  Writer(Random& random, Program& program) : random_(random), program_(program) {
    mutexes_ = 1 + random_.below(2);
    variables_ = 1 + random_.below(kShared);
    style_ = random_.below(6);
  }

  void write() {
    const int workers = 2 + (random_.chance(35) ? 1 : 0);
    program_.threads.resize(static_cast<size_t>(workers) + 1);
    for (int i = 0; i < kMaxObjects; ++i) program_.semaphores[static_cast<size_t>(i)] = random_.chance(30) ? 1 : 0;
    const int budget = workers == 2 ? 6 : 3;
    for (int t = 1; t <= workers; ++t) {
      thread_ = t;
      left_ = 2 + random_.below(budget);
      while (left_ > 0) piece(0);
      if (random_.chance(60)) add(Kind::kStore, [&](Statement& s) { s.object = kShared + t, s.value = {random_.below(2), 0}; });
    }
    thread_ = 0;
    for (int t = 1; t <= workers; ++t) add(Kind::kCreate, [&](Statement& s) { s.object = t; });
    left_ = random_.chance(30) ? 2 : 0;
    while (left_ > 0) piece(0);
    for (int t = 1; t <= workers; ++t) add(Kind::kJoin, [&](Statement& s) { s.object = t; });
  }

 private:
  template <typename Fill>
  void add(Kind kind, const Fill& fill) {
    Statement s;
    s.kind = kind;
    fill(s);
    program_.threads[static_cast<size_t>(thread_)].push_back(s);
    const bool free = kind == Kind::kLoad || kind == Kind::kStore || kind == Kind::kIf || kind == Kind::kEnd || kind == Kind::kWhile;
    if (!free) --left_;
  }
  void add(Kind kind) {
    add(kind, [](Statement&) {});
  }
  int variable() { return random_.below(variables_); }
  int mutex() { return random_.below(mutexes_); }
  int reg() { return random_.below(2); }
  int time() { return times_ < kMaxTimes ? times_++ : -1; }

  void load(int r, int v) {
    add(Kind::kLoad, [&](Statement& s) { s.reg = r, s.object = v; });
  }
  void store(int v, Expression e) {
    add(Kind::kStore, [&](Statement& s) { s.object = v, s.value = e; });
  }
  void on(Kind kind, int object) {
    add(kind, [&](Statement& s) { s.object = object; });
  }

  void access() {
    const int v = variable();
    switch (random_.below(8)) {
      case 0:
      case 1: return store(v, {-1, 1 + random_.below(2)});
      case 2: return load(reg(), v);
      case 3:
      case 4:
      case 5: {
        const int r = reg();
        load(r, v);
        return store(v, {r, 1});
      }
      case 6: {
        const int r = reg();
        load(r, v);
        return store(variable(), {r, 1});
      }
      default: return atomic();
    }
  }

  void atomic() {
    const int a = random_.below(2);
    const int r = reg();
    switch (random_.below(4)) {
      case 0: return add(Kind::kAtomicLoad, [&](Statement& s) { s.reg = r, s.object = a; });
      case 1: return add(Kind::kAtomicStore, [&](Statement& s) { s.object = a, s.value = {random_.chance(50) ? -1 : r, 1}; });
      case 2: return add(Kind::kAtomicAdd, [&](Statement& s) { s.reg = r, s.object = a, s.value = {-1, 1}; });
      default: return add(Kind::kAtomicCas, [&](Statement& s) { s.reg = r, s.object = a, s.from = random_.below(2), s.value = {-1, 2}; });
    }
  }

  void inner(int depth) {
    const int count = random_.below(3);
    for (int i = 0; i < count; ++i) piece(depth + 1);
  }

  // Runs `body` if the try or timed call before it succeeded.
  template <typename Body>
  void when_got(const Body& body) {
    add(Kind::kIf, [](Statement& s) { s.condition = {'r', 3, '=', 1}; });
    body();
    add(Kind::kEnd);
    if (random_.chance(40)) store(variable(), {3, 1});
  }

  // Something with a lock: an unlocked mutex is not locked by its own thread a second time.
  void section(int depth) {
    const int m = mutex();
    if (std::find(held_.begin(), held_.end(), m) != held_.end()) return access();
    held_.push_back(m);
    const auto body = [&] {
      inner(depth);
      on(Kind::kUnlock, m);
    };
    const int t = random_.chance(12) ? time() : -1;
    if (t >= 0) {
      add(Kind::kTimedLock, [&](Statement& s) { s.reg = 3, s.object = m, s.time = t; });
      when_got(body);
    } else if (random_.chance(15)) {
      add(Kind::kTryLock, [&](Statement& s) { s.reg = 3, s.object = m; });
      when_got(body);
    } else {
      on(Kind::kLock, m);
      body();
    }
    held_.pop_back();
  }

  void condition() {
    if (!held_.empty()) return access();
    const int v = variable();
    on(Kind::kLock, 0);
    const int t = random_.chance(35) ? time() : -1;
    const auto wait = [&] {
      if (t >= 0) {
        add(Kind::kTimedWait, [&](Statement& s) { s.reg = 3, s.object = 0, s.second = 0, s.time = t; });
      } else {
        add(Kind::kWait, [&](Statement& s) { s.object = 0, s.second = 0; });
      }
    };
    const int r = reg();
    load(r, v);
    if (t < 0 && random_.chance(60)) {
      add(Kind::kWhile, [&](Statement& s) { s.condition = {'r', r, '=', 0}; });
      wait();
      load(r, v);
      add(Kind::kEnd);
    } else if (random_.chance(80)) {
      add(Kind::kIf, [&](Statement& s) { s.condition = {'r', r, '=', 0}; });
      wait();
      add(Kind::kEnd);
    } else {
      wait();
    }
    if (random_.chance(40)) access();
    on(Kind::kUnlock, 0);
  }

  void signal() {
    const bool locked = held_.empty() && random_.chance(60);
    if (locked) on(Kind::kLock, 0);
    if (random_.chance(75)) store(variable(), {-1, 1});
    on(random_.chance(70) ? Kind::kSignal : Kind::kBroadcast, 0);
    if (locked) on(Kind::kUnlock, 0);
  }

  void semaphore() {
    const int which = random_.below(10);
    if (which < 4) return on(Kind::kSemPost, 0);
    if (which < 7) return on(Kind::kSemWait, 0);
    const int t = which == 7 ? time() : -1;
    if (t >= 0) {
      add(Kind::kSemTimed, [&](Statement& s) { s.reg = 3, s.object = 0, s.time = t; });
    } else {
      add(Kind::kSemTry, [&](Statement& s) { s.reg = 3, s.object = 0; });
    }
    if (random_.chance(60)) store(variable(), {3, 1});
  }

  void rwlock(int depth) {
    if (rw_held_) return access();
    rw_held_ = true;
    const auto body = [&] {
      inner(depth);
      on(Kind::kRwUnlock, 0);
    };
    const int which = random_.below(12);
    const int t = which >= 10 ? time() : -1;
    if (t >= 0) {
      add(which == 10 ? Kind::kTimedRead : Kind::kTimedWrite, [&](Statement& s) { s.reg = 3, s.object = 0, s.time = t; });
      when_got(body);
    } else if (which >= 8) {
      add(which == 8 ? Kind::kTryRead : Kind::kTryWrite, [&](Statement& s) { s.reg = 3, s.object = 0; });
      when_got(body);
    } else {
      on(which < 4 ? Kind::kReadLock : Kind::kWriteLock, 0);
      body();
    }
    rw_held_ = false;
  }

  void assertion() {
    const int r = reg();
    load(r, variable());
    add(Kind::kAssert, [&](Statement& s) { s.condition = {'r', r, '!', 2 + random_.below(2)}; });
  }

  void piece(int depth) {
    const int which = random_.below(100);
    if (depth > 2) return access();
    // Each program leans to one family.
    if (which < 30) {
      switch (style_) {
        case 0: return section(depth);
        case 1: return thread_ == 1 || random_.chance(30) ? condition() : signal();
        case 2: return semaphore();
        case 3: return rwlock(depth);
        case 4: return atomic();
        default: return section(depth);
      }
    }
    if (which < 58) return access();
    if (which < 76) return section(depth);
    if (which < 80) return semaphore();
    if (which < 83) return rwlock(depth);
    if (which < 86) return signal();
    if (which < 88) return condition();
    if (which < 90) return on(Kind::kBarrier, 0);
    if (which < 92) return add(Kind::kOnce, [](Statement& s) { s.object = 0, s.second = 0; });
    if (which < 94) return add(Kind::kYield);
    if (which < 96) return assertion();
    if (const int t = which < 98 ? time() : -1; t >= 0) return add(Kind::kSleep, [&](Statement& s) { s.time = t; });
    return atomic();
  }

  Random& random_;
  Program& program_;
  std::vector<int> held_;
  int thread_ = 0;
  int left_ = 0;
  int times_ = 0;
  int mutexes_ = 1;
  int variables_ = 1;
  int style_ = 0;
  bool rw_held_ = false;
};

std::vector<Comparison> parse_outcome(const std::string& text) {
  std::vector<Comparison> all;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = text.find(' ', begin);
    if (end == std::string::npos) end = text.size();
    const std::string word = text.substr(begin, end - begin);
    const size_t equal = word.find("==");
    all.push_back({word[0], std::stoi(word.substr(1, equal - 1)), '=', std::stoi(word.substr(equal + 2))});
    begin = end + 1;
  }
  return all;
}

// Forbids one of the outcomes, rather one that needs more preemptions; or one that does not occur.
void forbid(Random& random, Program& program, const Truth& truth) {
  std::vector<std::pair<std::string, int>> outcomes(truth.outcomes.begin(), truth.outcomes.end());
  Statement never;
  never.kind = Kind::kNever;
  size_t best = static_cast<size_t>(random.below(static_cast<int>(outcomes.size())));
  for (int i = 0; i < 3; ++i) {
    const auto other = static_cast<size_t>(random.below(static_cast<int>(outcomes.size())));
    if (outcomes[other].second > outcomes[best].second) best = other;
  }
  never.outcome = parse_outcome(outcomes[best].first);
  // What is the same in all outcomes says nothing.
  std::vector<Comparison> varying;
  for (size_t i = 0; i < never.outcome.size(); ++i) {
    const bool varies = std::any_of(outcomes.begin(), outcomes.end(),
                                    [&](const auto& o) { return parse_outcome(o.first)[i].constant != never.outcome[i].constant; });
    if (varies) varying.push_back(never.outcome[i]);
  }
  if (!varying.empty()) never.outcome = varying;
  if (random.chance(25)) {
    Comparison& c = never.outcome[static_cast<size_t>(random.below(static_cast<int>(never.outcome.size())))];
    c.constant += 1 + random.below(2);
  }
  program.threads[0].push_back(never);
}

}  // namespace

Program generate(uint64_t seed, uint64_t index) {
  for (uint64_t attempt = 0;; ++attempt) {
    Random random(((seed * 1000003) + index) * 1009 + attempt);
    Program program;
    program.name = "P" + std::to_string(seed) + "_" + std::to_string(index);
    Writer(random, program).write();
    if (!program.settle().empty()) continue;
    Limits limits;
    limits.states = 6'000;
    limits.points = random.chance(50) ? Points::kCalls : Points::kAccesses;
    const Truth truth = explore(program, limits);
    if (!truth.complete || truth.schedules[0] + truth.schedules[1] > kMostAtOne) continue;
    const bool varies = truth.outcomes.size() + truth.failures.size() > 1;
    if (!varies && !random.chance(kBoring)) continue;
    if (truth.fewest() == 0 && !random.chance(kBroken)) continue;
    if (!truth.outcomes.empty() && !random.chance(10)) forbid(random, program, truth);
    program.settle();
    return program;
  }
}

}  // namespace fuzz
