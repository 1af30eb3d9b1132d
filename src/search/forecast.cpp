#include "search/forecast.h"

#include <algorithm>

#include "trace/blocks.h"
#include "trace/enabled.h"
#include "trace/happens_before.h"
#include "trace/locks.h"

namespace heddle {

namespace {

// Operations whose blocking rules are modelled here.
bool is_modelled(Op op) {
  if (has(op, kTimed)) return false;
  switch (row(op).family) {
    case Family::kMemory:
    case Family::kAtomics:
    case Family::kMutexes:
    case Family::kRwlocks:
    case Family::kConditions:
    case Family::kCode: return true;
    case Family::kThreads: return op != Op::kThreadCancel && op != Op::kThreadKill && op != Op::kThreadTryJoin;
    case Family::kTime: return op == Op::kYield;
    case Family::kProcesses: return op == Op::kExit;
    case Family::kSemaphores:
    case Family::kBarriers:
    case Family::kOnces:
    case Family::kFutexes:
    case Family::kSignals:
    case Family::kDescriptors: return false;
  }
  return false;
}

bool ended_itself(OutcomeKind kind) {
  switch (kind) {
    case OutcomeKind::kExit:
    case OutcomeKind::kSignal:
    case OutcomeKind::kAbort:
    case OutcomeKind::kAssert:
    case OutcomeKind::kException: return true;
    default: return false;
  }
}

}  // namespace

void Forecast::learn(const Trace& trace, const Plan* plan) {
  if (!begun_.empty()) {
    const auto reached = reached_.find(begun_.front());
    if (reached != reached_.end() && --reached->second == 0) reached_.erase(reached);
    begun_.pop_front();
  }
  const auto events = trace.events();
  if (!usable_ || events.empty() || events.size() > kLongest || trace.data().executed != events.size()) return;
  if (next_.size() > kMostKnown) {
    usable_ = false;
    return;
  }
  const uint64_t order = learn_steps(trace);
  if (plan == nullptr || !ended_itself(trace.outcome().kind)) return;
  // Nothing of this run is new any more: the forecast has to be this very run, or is of no use here.
  if (const auto told = this->order(*plan)) (*told == order ? right_ : wrong_) += 1;
  if (++tested_ == kHopeless && right_ == 0) usable_ = false;
}

uint64_t Forecast::learn_steps(const Trace& trace) {
  const auto events = trace.events();
  const Blocks blocks(trace);
  HeldLocks locks(trace.threads().size());
  walk_.reset();
  auto name = [&](uint32_t thread) {
    const uint64_t past = walk_.past(thread);
    return past == 0 ? beginning(trace.threads()[thread].id) : past;
  };
  uint64_t whole = 0;
  for (size_t i = 0; i < events.size(); ++i) {
    const Event& e = events[i];
    const ObjectId mutex = locks.mutex_of(e);
    const ObjectId block = blocks.of(e.object);
    next_.try_emplace(name(e.thread), Next{e.op, e.object, e.site, mutex, block});
    const uint64_t found = walk_.finds(operation_of(trace, e, mutex, block));
    results_.try_emplace(found, e.flags);
    locks.step(i, e);
    whole = walk_.ends(only_reads(e));
  }
  if (ended_itself(trace.outcome().kind)) ends_.insert(walk_.past(events.back().thread));
  for (uint32_t i = 0; i < trace.threads().size(); ++i) {
    const Thread& t = trace.threads()[i];
    if (t.state == ThreadState::kFinished || t.pending == Op::kNone) continue;
    const bool wakes = t.pending == Op::kCondReacquire || t.pending == Op::kCondTimedReacquire;
    next_.try_emplace(name(i), Next{t.pending, t.object, t.site, wakes ? locks.wait_mutex(i) : kNoObject, blocks.of(t.object)});
  }
  orders_.insert(whole);
  most_threads_ = std::max(most_threads_, trace.threads().size());
  return whole;
}

bool Forecast::knows(const Plan& plan) {
  if (!trusted()) return false;
  const auto told = order(plan);
  return told ? orders_.contains(*told) : reached_.contains(news_);
}

void Forecast::begin(const Plan& plan) {
  begun_.push_back(trusted() && !order(plan) ? news_ : 0);
  if (begun_.back() != 0) ++reached_[begun_.back()];
}

// What the thread does next; false if that is not known.
bool Forecast::stand(uint32_t slot) {
  ThreadNow& t = threads_[slot];
  const uint64_t past = walk_.past(slot);
  const auto it = next_.find(past == 0 ? beginning(t.id) : past);
  if (it == next_.end() || !is_modelled(it->second.op)) return false;
  t.next = &it->second;
  return true;
}

Ready Forecast::ready(uint32_t slot) {
  const ThreadNow& t = threads_[slot];
  const Op op = t.next->op;
  if (!has(op, kBlocks)) return Ready::kYes;
  auto taken = [&](ObjectId object) { return locks_[object].owner != kNoIndex; };
  auto answer = [](bool yes) { return yes ? Ready::kYes : Ready::kNo; };
  if (op == Op::kCondReacquire) return answer(t.signalled && !taken(t.next->mutex));
  if (op == Op::kThreadJoin) {
    for (const ThreadNow& other : threads_) {
      if (thread_object(other.id) == t.next->object) return answer(!other.live);
    }
    return Ready::kNo;
  }
  if (is_shared_lock_request(op)) return answer(!taken(t.next->object));
  return answer(!taken(t.next->object) && locks_[t.next->object].readers == 0);
}

// As the runtime's scheduler does it. Nothing: nobody can go on.
std::optional<uint32_t> Forecast::decide(Director& director) {
  if (current_ != kNobody && threads_[current_].live) {
    const ThreadNow& t = threads_[current_];
    // Alone before the first thread: nobody is asked.
    if (threads_.size() == 1 && t.next->op != Op::kThreadCreate && ready(current_) == Ready::kYes) return current_;
    if (!t.gave_way && director.keeps(t.id, t.number + 1, step_ + 1) && ready(current_) == Ready::kYes) return current_;
  }
  candidates_.clear();
  Moment m{};
  m.current = kNobody;
  for (uint32_t i = 0; i < threads_.size(); ++i) {
    const ThreadNow& t = threads_[i];
    if (!t.live) continue;
    if (i == current_) m.current = static_cast<uint32_t>(candidates_.size());
    candidates_.push_back({t.id, i, t.number + 1, t.next->op, ready(i), t.gave_way, t.next->object, t.next->site, t.last_step, 0});
  }
  m.threads = candidates_.data();
  m.count = static_cast<uint32_t>(candidates_.size());
  m.step = step_ + 1;
  const Decision decision = director.next(m);
  if (decision.verdict != Verdict::kRun) return std::nullopt;
  return candidates_[decision.index].slot;
}

// Who is woken, first come first if the policy does not draw.
std::optional<uint64_t> Forecast::signal(const Director& director, uint32_t slot) {
  std::vector<uint32_t>& queue = queues_[threads_[slot].next->object];
  if (queue.empty()) return std::nullopt;
  std::vector<uint64_t> ids;
  for (uint32_t w : queue) ids.push_back(threads_[w].id);
  const uint32_t pick = director.choose(threads_[slot].id, threads_[slot].number, step_, ids.data(), static_cast<uint32_t>(ids.size()));
  threads_[queue[pick]].signalled = true;
  queue.erase(queue.begin() + pick);
  return ids[pick];
}

// What the operation does to those that block; false if a recursive lock or the like makes it doubtful.
bool Forecast::take(uint32_t slot, uint16_t flags) {
  ThreadNow& t = threads_[slot];
  const Next& n = *t.next;
  auto lock = [&](ObjectId object) {
    LockNow& l = locks_[object];
    if (l.owner != kNoIndex) return false;
    l.owner = slot;
    return true;
  };
  if (is_lock_request(n.op)) {
    if ((flags & kFailed) != 0) return true;
    if (!is_shared_lock_request(n.op)) return lock(n.object);
    ++locks_[n.object].readers;
  } else if (is_unlock(n.op)) {
    LockNow& l = locks_[n.object];
    if (l.owner == slot) {
      l.owner = kNoIndex;
    } else if (l.readers > 0) {
      --l.readers;
    }
  } else if (n.op == Op::kThreadCreate && (flags & kFailed) == 0) {
    const ThreadId child = child_thread(t.id, ++t.births);
    if (thread_object(child) != n.object || threads_.size() == most_threads_) return false;
    threads_.push_back({});
    threads_.back().id = child;
    return stand(static_cast<uint32_t>(threads_.size() - 1));
  } else if (n.op == Op::kCondWait) {
    if (n.mutex == kNoObject || locks_[n.mutex].owner != slot) return false;
    locks_[n.mutex].owner = kNoIndex;
    t.signalled = false;
    queues_[n.object].push_back(slot);
  } else if (n.op == Op::kCondReacquire) {
    t.signalled = false;
    return lock(n.mutex);
  } else if (n.op == Op::kCondBroadcast) {
    std::vector<uint32_t>& queue = queues_[n.object];
    for (uint32_t w : queue) threads_[w].signalled = true;
    queue.clear();
  } else if (n.op == Op::kThreadExit) {
    t.live = false;
  }
  return true;
}

std::optional<uint64_t> Forecast::order(const Plan& plan) {
  if (!usable_ || !plan.skips.empty()) return std::nullopt;
  block_.resize(encoded_size(plan));
  encode_to(plan, block_.data());
  policy_threads_.assign(std::max(most_threads_, plan.weights.size()) + 1, {});
  Director director;
  director.install(PlanView::over(block_.data()), policy_threads_.data(), 0);
  walk_.reset();
  locks_.clear();
  queues_.clear();
  threads_.assign(1, {});
  threads_[0].id = kMainThread;
  current_ = 0;
  step_ = 0;
  news_ = 0;
  if (!stand(0)) return std::nullopt;
  while (step_ < kLongest && step_ < plan.limits.events) {
    const auto chosen = decide(director);
    if (!chosen) return walk_.whole();
    const uint32_t slot = *chosen;
    if (slot != current_) {
      for (ThreadNow& other : threads_) other.gave_way = false;
    }
    current_ = slot;
    ThreadNow& t = threads_[slot];
    const Next next = *t.next;
    ++t.number;
    t.last_step = ++step_;
    const std::optional<uint64_t> woken = next.op == Op::kCondSignal ? signal(director, slot) : std::nullopt;
    const uint64_t found =
        walk_.finds({slot, t.id, t.number, next.op, woken.has_value(), woken.value_or(0), next.mutex, next.object, next.block});
    const auto result = results_.find(found);
    if (result == results_.end()) {
      news_ = found;
      return std::nullopt;
    }
    Event e{};
    e.op = next.op;
    e.flags = result->second;
    walk_.ends(only_reads(e));
    t.gave_way = has(e.op, kYields) || (e.flags & kSpin) != 0;
    if (!take(slot, e.flags)) return std::nullopt;
    if (ends_.contains(walk_.past(slot))) return walk_.whole();
    if (threads_[slot].live && !stand(slot)) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace heddle
