#include "toy/toy.h"

#include <algorithm>
#include <deque>
#include <map>
#include <memory>

#include <fmt/format.h>

#include "policy/director.h"
#include "trace/objects.h"

namespace heddle::test::toy {

namespace {

constexpr uint64_t kTick = 1000;
constexpr uint64_t kWaitNs = 1'000'000;

struct ToyThread {
  ThreadId id = kNoThread;
  uint32_t parent = 0;
  uint32_t birth = 0;
  uint32_t births = 0;
  int body = 0;
  size_t pc = 0;
  uint32_t number = 0;  // operations executed
  bool started = false, finished = false;
  bool exiting = false;      // all steps done: the exit operation is pending
  bool reacquiring = false;  // second half of a wait is pending
  bool gave_way = false;
  bool removed = false;  // by the plan
  uint64_t last_step = 0;
  std::vector<std::pair<int, uint32_t>> children;  // (body, slot)
};

// One execution.
class Machine {
 public:
  Machine(const Program& program, const Plan& plan) : program_(program), plan_(plan), block_(encode(plan)), policy_threads_(kMaxThreads) {
    director_.install(PlanView::over(block_.data()), policy_threads_.data(), 0);
    threads_.push_back({});
    threads_[0].id = kMainThread;
    now_.threads.resize(1);
    now_.threads[0].live = true;
    data_.threads.push_back({});
    data_.threads[0].id = kMainThread;
    if (program.together) begin_together();
  }

  Trace go() {
    while (step_once()) {
    }
    finish();
    return Trace(std::move(data_));
  }

 private:
  void begin_together() {
    threads_[0].started = true;
    for (size_t body = 1; body < program_.bodies.size(); ++body) {
      ToyThread t;
      t.birth = ++threads_[0].births;
      t.id = child_thread(kMainThread, t.birth);
      t.body = static_cast<int>(body);
      t.started = true;
      t.removed = director_.removed(t.id);
      now_.threads.push_back({});
      now_.threads.back().live = !t.removed;
      threads_[0].children.push_back({t.body, static_cast<uint32_t>(threads_.size())});
      data_.threads.push_back({});
      data_.threads.back().id = t.id;
      data_.threads.back().birth = t.birth;
      threads_.push_back(std::move(t));
    }
    for (uint32_t i = 0; i < threads_.size(); ++i) settle(i);
  }

  Step pending(const ToyThread& t) const {
    Step s;
    if (!t.started) {
      s.op = Op::kThreadStart;
    } else if (t.exiting) {
      s.op = Op::kThreadExit;
    } else {
      s = program_.bodies[static_cast<size_t>(t.body)][t.pc];
      if (t.reacquiring) s.op = s.op == Op::kCondWait ? Op::kCondReacquire : Op::kCondTimedReacquire;
    }
    return s;
  }

  uint32_t child(const ToyThread& t, int body) const {
    for (const auto& [b, slot] : t.children) {
      if (b == body) return slot;
    }
    return kNoIndex;
  }

  uint32_t object(Family family, int number) {
    const auto [at, fresh] = objects_.try_emplace({family, number}, static_cast<uint32_t>(now_.objects.size()));
    if (fresh) {
      now_.objects.push_back({});
      now_.objects.back().exact = true;  // a semaphore begins with nothing
    }
    return at->second;
  }
  uint32_t object(const ToyThread& t, const Step& s) {
    if (s.op == Op::kThreadJoin) return child(t, s.object);
    return model::has_object(s.op) ? object(row(s.op).family, s.object) : 0;
  }

  Ready ready(uint32_t slot) {
    const Step s = pending(threads_[slot]);
    const uint32_t at = object(threads_[slot], s);
    // Somebody who is not born yet.
    if (at == kNoIndex) return Ready::kNo;
    now_.clock = clock_;
    return now_.ready(s.op, {slot, at});
  }

  bool step_once() {
    std::vector<Candidate> candidates;
    uint32_t current = kNobody;
    for (uint32_t i = 0; i < threads_.size(); ++i) {
      const ToyThread& t = threads_[i];
      if (t.finished || t.removed) continue;
      const Step s = pending(t);
      if (i == current_) current = static_cast<uint32_t>(candidates.size());
      const uint64_t deadline = now_.threads[i].deadline;
      candidates.push_back({t.id, i, t.number + 1, s.op, ready(i), t.gave_way, object_of(t, s), site_of(t), t.last_step,
                            deadline != 0 ? deadline : clock_ + kWaitNs});
    }
    if (candidates.empty()) return end(OutcomeKind::kExit, "");
    const PointView view{candidates.data(), static_cast<uint32_t>(candidates.size()), current, step_ + 1, clock_};
    // Before its first thread a program is alone: as in the runtime, no policy is asked.
    const bool alone = threads_.size() == 1 && candidates[0].op != Op::kThreadCreate && candidates[0].ready == Ready::kYes;
    const Decision decision = alone ? Decision{Verdict::kRun, 0, nullptr} : director_.next(view);
    if (decision.verdict == Verdict::kDiverged) return end(OutcomeKind::kDiverged, decision.reason);
    if (decision.verdict == Verdict::kStuck) return end(OutcomeKind::kDeadlock, "");
    if (step_ >= program_.event_limit) return end(OutcomeKind::kLimit, "");
    const bool anybody = std::any_of(candidates.begin(), candidates.end(), [](const Candidate& c) { return c.ready == Ready::kYes; });
    const Candidate& chosen = candidates[decision.index];
    execute(chosen, current == kNobody ? Ready::kNo : candidates[current].ready, chosen.ready == Ready::kTimeout && anybody);
    return data_.outcome.kind == OutcomeKind::kUnknown;
  }

  void execute(const Candidate& chosen, Ready previous, bool early) {
    ToyThread& t = threads_[chosen.slot];
    const Step s = pending(t);
    Event e{};
    e.thread = chosen.slot;
    e.number = ++t.number;
    e.op = s.op;
    e.object = chosen.object;
    e.site = chosen.site;
    if (chosen.slot != current_ && step_ > 0) {
      if (previous == Ready::kYes) e.flags |= kPreviousReady;
      if (previous == Ready::kTimeout) e.flags |= kPreviousReadyByTimeout;
    }
    if (early) e.flags |= kEarly;
    if (chosen.ready == Ready::kTimeout && chosen.deadline > clock_) clock_ = chosen.deadline;
    ++step_;
    clock_ += kTick;
    for (ToyThread& other : threads_) {
      if (&other != &t) other.gave_way = false;
    }
    t.gave_way = has(s.op, kYields);
    t.last_step = step_;
    current_ = chosen.slot;
    perform(t, s, e, chosen.ready == Ready::kTimeout, early);
    data_.events.push_back(e);
    if (!run_.failure.empty()) {
      data_.outcome.thread = chosen.slot;
      data_.outcome.stack = {e.site};
      end(OutcomeKind::kAssert, run_.failure);
    } else if (run_.exit_code >= 0) {
      data_.outcome.code = run_.exit_code;
      end(OutcomeKind::kExit, "");
    } else if (chosen.slot == 0 && s.op == Op::kThreadExit) {
      end(OutcomeKind::kExit, "");
    }
  }

  void perform(ToyThread& t, const Step& s, Event& e, bool timed_out, bool early) {
    const uint32_t slot = current_;
    model::Happening h{s.op, 0, slot, object(t, s), model::kNone, model::kNone, 0};
    if (s.op == Op::kThreadCreate) return create(t, s, e, h);
    if (s.op == Op::kMutexTryLock) {
      const bool got = now_.objects[h.object].owner == model::kNone;
      if (!got) e.flags |= kFailed;
      run_.value = got ? 1 : 0;
    } else if (model::is_condition_wait(s.op)) {
      h.mutex = object(Family::kMutexes, s.mutex);
      e.value = make_object(ObjectKind::kGlobal, static_cast<uint64_t>(Family::kMutexes), static_cast<uint64_t>(s.mutex));
    } else if (model::is_reacquire(s.op) ? timed_out || !now_.threads[slot].woken : s.op == Op::kSleep && early) {
      e.flags |= kTimedOut | kChoice;
      e.value = kChoiceTimeout;
    } else if (s.op == Op::kCondSignal) {
      h.peer = choose_waiter(t, h.object, e);
    } else if (row(s.op).family == Family::kSemaphores) {
      e.value = model::semaphore_word(static_cast<uint32_t>(now_.objects[h.object].count));
    }
    h.flags = e.flags;
    now_.apply(h);
    now_.threads[slot].deadline = s.op == Op::kCondTimedWait ? clock_ + kWaitNs : 0;
    if (s.op == Op::kThreadExit) t.finished = true;
    t.reacquiring = model::is_condition_wait(s.op);
    if (t.finished || t.reacquiring) return;
    if (s.op == Op::kThreadStart) t.started = true;
    act(t, s, e, s.op == Op::kThreadStart ? 0 : t.pc + 1);
  }

  void create(ToyThread& t, const Step& s, Event& e, model::Happening h) {
    ToyThread fresh;
    fresh.birth = ++t.births;
    fresh.id = child_thread(t.id, fresh.birth);
    fresh.parent = current_;
    fresh.body = s.object;
    e.value = fresh.birth;
    fresh.removed = director_.removed(fresh.id);
    if (fresh.removed) e.flags |= kDisabledThread;
    t.children.push_back({s.object, static_cast<uint32_t>(threads_.size())});
    data_.threads.push_back({});
    data_.threads.back().id = fresh.id;
    data_.threads.back().parent = current_;
    data_.threads.back().birth = fresh.birth;
    ++t.pc;
    settle(current_);
    h.peer = static_cast<uint32_t>(threads_.size());
    h.flags = e.flags;
    threads_.push_back(std::move(fresh));
    now_.threads.push_back({});
    now_.apply(h);
  }

  void act(ToyThread& t, const Step& s, Event& e, size_t next) {
    run_.current = current_;
    run_.next_step = next;
    if (s.act) {
      if (s.op != Op::kMutexTryLock) run_.value = 0;
      s.act(run_);
      if (is_memory(s.op)) e.value = run_.value;
    }
    t.pc = t.started && s.op == Op::kThreadStart ? 0 : run_.next_step;
    settle(current_);
  }

  void settle(uint32_t slot) {
    ToyThread& t = threads_[slot];
    if (t.started) begin_iterations(slot);
    if (t.pc >= program_.bodies[static_cast<size_t>(t.body)].size()) t.exiting = true;
    if (!t.exiting && program_.bodies[static_cast<size_t>(t.body)][t.pc].op == Op::kSleep) now_.threads[slot].deadline = clock_ + kWaitNs;
  }

  // As the runtime does at a mark.
  void begin_iterations(uint32_t slot) {
    ToyThread& t = threads_[slot];
    for (const Block& b : program_.blocks) {
      if (b.body != t.body || b.first != t.pc) continue;
      const uint64_t number = ++iterations_[{slot, b.loop}];
      if (director_.skips(SkipKind::kIteration, t.id, b.loop, number)) {
        t.pc = b.last + 1;
        continue;
      }
      if ((plan_.detect & kDetectIterations) == 0) continue;
      data_.iterations.push_back({slot, t.number, b.loop, number, 1});
      const bool known = std::any_of(data_.loops.begin(), data_.loops.end(), [&](const Loop& l) { return l.id == b.loop; });
      if (!known) data_.loops.push_back({b.loop, "toy.c:" + std::to_string(b.loop)});
    }
  }

  uint32_t choose_waiter(const ToyThread& t, uint32_t condition, Event& e) {
    const std::vector<uint32_t> queue = now_.waiters(condition);
    if (queue.empty()) return model::kNone;
    std::vector<uint64_t> options;
    for (uint32_t w : queue) options.push_back(threads_[w].id);
    const uint32_t pick = director_.choose(t.id, t.number, step_, options.data(), static_cast<uint32_t>(options.size()));
    e.flags |= kChoice;
    e.value = options[pick];
    return queue[pick];
  }

  // Creation, start, exit and join of a thread meet on its own object.
  ObjectId object_of(const ToyThread& t, const Step& s) const {
    if (s.op == Op::kNone || s.op == Op::kYield || s.op == Op::kSleep) return kNoObject;
    if (s.op == Op::kThreadStart || s.op == Op::kThreadExit) return thread_object(t.id);
    if (s.op == Op::kThreadCreate) return thread_object(child_thread(t.id, t.births + 1));
    if (s.op == Op::kThreadJoin) {
      const uint32_t slot = child(t, s.object);
      return slot == kNoIndex ? kNoObject : thread_object(threads_[slot].id);
    }
    return make_object(ObjectKind::kGlobal, static_cast<uint64_t>(row(s.op).family), static_cast<uint64_t>(s.object));
  }
  SiteId site_of(const ToyThread& t) const {
    const int code = program_.code.empty() ? t.body : program_.code[static_cast<size_t>(t.body)];
    // Iterations that are written out one after the other stand for one piece of code.
    for (const Block& b : program_.blocks) {
      if (t.started && b.body == t.body && t.pc >= b.first && t.pc <= b.last)
        return make_site(0, static_cast<uint64_t>(code) * 1000 + 500 + 10 * b.loop + t.pc - b.first);
    }
    return make_site(0, static_cast<uint64_t>(code) * 1000 + t.pc + (t.started ? 1 : 0));
  }

  bool end(OutcomeKind kind, std::string message) {
    data_.outcome.kind = kind;
    data_.outcome.message = std::move(message);
    return false;
  }

  void finish() {
    data_.executed = data_.events.size();
    data_.points = plan_.points;
    data_.points_id = plan_.points_id;
    data_.skips = plan_.skips;
    data_.slices_done = director_.slices_done();
    data_.skipped_slices = director_.slices_skipped();
    data_.modules.push_back({"toy", 0});
    for (size_t i = 0; i < threads_.size(); ++i) {
      const ToyThread& t = threads_[i];
      Thread& out = data_.threads[i];
      out.operations = t.number;
      const Step s = t.finished ? Step{} : pending(t);
      out.pending = s.op;
      out.site = site_of(t);
      out.object = object_of(t, s);
      out.state = t.finished                                      ? ThreadState::kFinished
                  : ready(static_cast<uint32_t>(i)) == Ready::kNo ? ThreadState::kBlocked
                                                                  : ThreadState::kRunnable;
      if (s.op == Op::kMutexLock) out.holder = now_.objects[object(t, s)].owner;
    }
  }

  const Program& program_;
  const Plan& plan_;
  std::vector<std::byte> block_;
  std::vector<PolicyThread> policy_threads_;
  Director director_;
  std::deque<ToyThread> threads_;
  std::map<std::pair<Family, int>, uint32_t> objects_;
  RunState now_;
  std::map<std::pair<uint32_t, LoopId>, uint64_t> iterations_;
  Run run_;
  Trace::Data data_;
  uint64_t step_ = 0;
  uint64_t clock_ = 0;
  uint32_t current_ = 0;
};

Step simple(Op op, int object) {
  Step s;
  s.op = op;
  s.object = object;
  return s;
}

}  // namespace

Trace Program::run(const Plan& plan) const { return Machine(*this, plan).go(); }

Step create(int body) { return simple(Op::kThreadCreate, body); }
Step join(int body) { return simple(Op::kThreadJoin, body); }
Step lock(int mutex) { return simple(Op::kMutexLock, mutex); }
Step unlock(int mutex) { return simple(Op::kMutexUnlock, mutex); }
Step signal(int cond) { return simple(Op::kCondSignal, cond); }
Step broadcast(int cond) { return simple(Op::kCondBroadcast, cond); }
Step sem_wait(int sem) { return simple(Op::kSemWait, sem); }
Step sem_post(int sem) { return simple(Op::kSemPost, sem); }
Step yield() { return simple(Op::kYield, 0); }
Step sleep() { return simple(Op::kSleep, 0); }

Step cond_wait(int cond, int mutex) {
  Step s = simple(Op::kCondWait, cond);
  s.mutex = mutex;
  return s;
}
Step cond_timed_wait(int cond, int mutex) {
  Step s = simple(Op::kCondTimedWait, cond);
  s.mutex = mutex;
  return s;
}
Step try_lock(int mutex, std::function<void(Run&, bool)> act) {
  Step s = simple(Op::kMutexTryLock, mutex);
  s.act = [act = std::move(act)](Run& run) { act(run, run.value == 1); };
  return s;
}
Step read(int var, std::function<void(Run&)> act) {
  Step s = simple(Op::kLoad, var);
  s.act = [var, act = std::move(act)](Run& run) {
    run.value = static_cast<uint64_t>(run.vars[var]);
    act(run);
  };
  return s;
}
Step write(int var, std::function<void(Run&)> act) {
  Step s = simple(Op::kStore, var);
  s.act = [var, act = std::move(act)](Run& run) {
    act(run);
    run.value = static_cast<uint64_t>(run.vars[var]);
  };
  return s;
}
Step load(int var, int reg) {
  return read(var, [var, reg](Run& run) { run.reg(reg) = run.vars[var]; });
}
Step store(int var, int64_t constant) {
  return write(var, [var, constant](Run& run) { run.vars[var] = constant; });
}
Step store_reg(int var, int reg, int64_t plus) {
  return write(var, [var, reg, plus](Run& run) { run.vars[var] = run.reg(reg) + plus; });
}
Step check(int var, std::function<bool(const Run&)> holds, std::string message) {
  return read(var, [holds = std::move(holds), message = std::move(message)](Run& run) {
    if (!holds(run)) run.fail(message);
  });
}

}  // namespace heddle::test::toy
