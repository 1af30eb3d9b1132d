#include "simplify/criterion.h"

#include <algorithm>
#include <deque>

#include "simplify/dependence.h"
#include "simplify/schedule.h"

namespace heddle::simplify {

namespace {

// In order, iterations that follow each other as one.
std::vector<Skip> joined(std::vector<Skip> skips) {
  std::sort(skips.begin(), skips.end(), skips_before);
  std::vector<Skip> out;
  for (const Skip& s : skips) {
    Skip* last = out.empty() ? nullptr : &out.back();
    const bool follows = last != nullptr && s.kind != SkipKind::kThread && last->kind == s.kind && last->thread == s.thread &&
                         last->loop == s.loop && last->iteration + last->more + 1 == s.iteration;
    if (follows && uint64_t{last->more} + s.more + 1 <= UINT32_MAX) {
      last->more += s.more + 1;
    } else {
      out.push_back(s);
    }
  }
  return out;
}

}  // namespace

Criterion::Criterion(const Trace& failing, const std::function<bool(const Trace&)>& same_bug, Executor& executor,
                     const ReduceOptions& options)
    : same_bug_(same_bug),
      executor_(executor),
      budget_(options.max_executions, options.seconds, options.stop),
      limits_(run_limits(failing, options.limits)) {
  remember_check(failing);
}

// The last event of the failing run: its place is one that a passing run must reach too (Definition 2, condition II: the check was evaluated).
void Criterion::remember_check(const Trace& failing) {
  if (failing.outcome().kind == OutcomeKind::kDeadlock || failing.events().empty()) return;
  const Event& last = failing.events().back();
  check_site_ = last.site;
  check_op_ = last.op;
}

// Evaluated and not satisfied: whatever happens after the check has been passed is not this bug. Its thread has gone on after it, or the program has come
// to its end. Where no place is known at which it is evaluated, the run must come to an end of its own.
InTurn Criterion::judge(const Trace& in_turn) const {
  InTurn seen;
  seen.asked = true;
  const OutcomeKind kind = in_turn.outcome().kind;
  if (check_site_ == kNoSite) {
    seen.reached = !is_inconclusive(in_turn.outcome()) && kind != OutcomeKind::kDeadlock && kind != OutcomeKind::kLivelock;
    seen.passed = seen.reached && !same_bug_(in_turn);
    return seen;
  }
  std::vector<bool> at_check(in_turn.threads().size());
  bool went_on = false;
  for (const Event& e : in_turn.events()) {
    went_on |= at_check[e.thread];
    if (e.site == check_site_ && e.op == check_op_) at_check[e.thread] = seen.reached = true;
  }
  const bool ended = kind == OutcomeKind::kExit || kind == OutcomeKind::kOutput;
  seen.passed = seen.reached && (went_on || ended) && !same_bug_(in_turn);
  return seen;
}

Trace Criterion::look_in_turn(const Trace& failing) {
  Trace in_turn = run(sequential(failing, {}, false));
  sequential_bug_ = same_bug_(in_turn);
  in_turn_ = judge(in_turn);
  if (sequential_bug_ || in_turn_.passed || spent()) return in_turn;
  in_turn = run(sequential(failing, {}, true));
  sequential_bug_ = same_bug_(in_turn);
  in_turn_ = judge(in_turn);
  bug_first_ = in_turn_.passed;
  if (!bug_first_) check_site_ = kNoSite;  // reached in neither: then that the run ends without the bug has to do
  return in_turn;
}

// One sequential schedule is enough (the definition's footnote).
bool Criterion::passes_in_turn(const Trace& best, const Removal& removal) {
  const Trace in_turn = run(sequential(best, removal, bug_first_));
  InTurn seen = judge(in_turn);
  if (!seen.passed && !same_bug_(in_turn) && !spent()) seen = judge(run(sequential(best, removal, !bug_first_)));
  if (seen.passed) in_turn_ = seen;
  return seen.passed;
}

size_t Criterion::first_redundant(Trace& best, const std::vector<Removal>& removals) {
  struct Submitted {
    size_t at;
    Key key;
    std::vector<Skip> skips;
  };
  std::deque<Submitted> under_way;
  size_t next = 0;
  while (!spent()) {
    while (next < removals.size() && under_way.size() < executor_.width()) {
      if (removals[next].empty()) {  // nothing to leave out: no run is needed
        if (!under_way.empty()) break;
        return next;
      }
      Plan plan = watched(projected(best, removals[next], limits_));
      Key key;
      plan.skips = joined(std::move(plan.skips));
      for (const Skip& s : plan.skips) key.insert(key.end(), {static_cast<uint64_t>(s.kind), s.thread, s.loop, s.iteration, s.more});
      // Successes change the best, so that only failures are met again.
      if (!known_.contains(key)) {
        executor_.submit(plan);
        under_way.push_back({next, std::move(key), std::move(plan.skips)});
      }
      ++next;
    }
    if (under_way.empty()) break;
    auto [at, key, skips] = std::move(under_way.front());
    under_way.pop_front();
    budget_.count();
    history_.push_back({stage_, false, std::move(skips)});
    Trace trace = executor_.next();
    // Without a thread the others may do its work; without iterations there has to be less of it.
    const bool shorter = removals[at].loops.empty() || trace.events().size() <= best.events().size();
    bool holds = shorter && same_bug_(trace);
    if (holds && !sequential_bug_ && !spent()) {
      // The others are asked again, if this one does not hold.
      executor_.drop();
      under_way.clear();
      next = at + 1;
      holds = passes_in_turn(best, removals[at]);
    }
    if (holds) {
      executor_.drop();
      history_.back().holds = true;
      last_held_ = history_.size();
      best = std::move(trace);
      return at;
    }
    known_.insert(key);
  }
  executor_.drop();
  return kNoneRedundant;
}

Trace Criterion::again(const Trace& trace) { return run(plan_of(trace)); }

// Each thread to its end or until it must wait, in order of birth; or main and then those of the bug before all others.
Plan Criterion::sequential(const Trace& trace, const Removal& removal, bool bug_first) const {
  Schedule order;
  if (bug_first) {
    order.push_back({kMainThread, 1, kForever});
    for (size_t e : bug_events(trace)) order.push_back({trace.thread_id(trace.events()[e]), 1, kForever});
  }
  Plan plan = plan_for(merged(std::move(order)), trace, limits_);
  plan.choices.clear();
  remove_from(plan, removal);
  return plan;
}

// All runs alike, so that one server makes them.
Plan Criterion::watched(Plan plan) const {
  plan.detect |= kDetectIterations;
  return plan;
}

Trace Criterion::run(const Plan& plan) {
  budget_.count();
  executor_.submit(watched(plan));
  return executor_.next();
}

}  // namespace heddle::simplify
