#include "simplify/run_positions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "trace/enabled.h"

namespace heddle::simplify {

namespace {

// Calls visit(k, position) for every event, in order; positions have no name of their order yet.
template <typename Visit>
void walk_positions(const Trace& trace, const Visit& visit) {
  EnabledWalk walk(trace);
  const auto events = trace.events();
  Position so_far;
  std::map<SiteId, size_t> turns;  // of loops that wait, in this slice
  std::vector<bool> preempted(events.size() + 1);
  for (const TraceSlice& s : trace.slices()) preempted[s.end] = s.preempted;
  for (size_t k = 0; k < events.size(); ++k) {
    Position p = so_far;
    p.current = k == 0 ? kNoIndex : events[k - 1].thread;
    bool gave_way = false;
    for (const PendingOperation& pending_operation : walk.pending_operations()) {
      if (pending_operation.ready != Ready::kYes && pending_operation.ready != Ready::kUnknown &&
          pending_operation.thread != events[k].thread)
        continue;
      p.enabled.push_back(pending_operation.thread);
      if (pending_operation.thread == p.current) gave_way = pending_operation.gave_way;
    }
    // What ran tells more than the model: a switch that was no preemption shows that the thread could not go on, or had given way.
    const bool switched = p.current != events[k].thread;
    p.free = k == 0 || gave_way || (switched && !preempted[k]);
    if (events[k].op == Op::kCondSignal && (events[k].flags & kChoice) != 0) p.waiters = walk.waiters(events[k].object);
    visit(k, std::move(p));
    if (switched && k > 0) {
      ++so_far.switches;
      so_far.preemptions += preempted[k] ? 1 : 0;
    }
    if (switched) {
      turns.clear();
      so_far.stays = 0;
    } else if (gave_way) {
      so_far.stays = std::max(so_far.stays, ++turns[events[k - 1].site]);
    }
    walk.advance();
  }
}

}  // namespace

RunPositions::RunPositions(const Trace& trace, bool exact) : trace_(trace), dependence_(trace) {
  const auto events = trace.events();
  positions_.reserve(events.size());
  uint64_t order = 0;
  walk_positions(trace, [&](size_t k, Position&& p) {
    p.order = order;
    positions_.push_back(std::move(p));
    if (exact) {
      order = mix(mix(order + 1, trace.thread_id(events[k])), (events[k].flags & kChoice) != 0 ? events[k].value + 1 : 0);
    } else {
      order += dependence_.event_class(k);
    }
  });
  next_of_current_.assign(events.size(), kNoInterval);
  std::vector<size_t> next(trace.threads().size(), kNoInterval);
  for (size_t k = events.size(); k-- > 0;) {
    next[events[k].thread] = k;
    if (k > 0) next_of_current_[k] = next[events[k - 1].thread];
  }
}

bool RunPositions::gave_way_before(size_t k) const {
  const Event& last = trace_.events()[k - 1];
  return has(last.op, kYields) || (last.flags & kSpin) != 0;
}

size_t RunPositions::block_of(size_t k) const {
  while (k > 0 && !(positions_[k].free && (positions_[k].current != trace_.events()[k].thread || gave_way_before(k)))) --k;
  return k;
}

uint64_t Sharing::place(const Trace& trace, const Event& e) const {
  // A thread's birth and end are met by nobody who could not meet them later just as well.
  if (e.op == Op::kThreadCreate || e.op == Op::kThreadStart || e.op == Op::kThreadExit || e.op == Op::kThreadJoin)
    return mix(trace.thread_id(e), 0xB117);
  if (e.object == kNoObject) return 0;
  const auto at = places_.find(e.object);
  return at == places_.end() ? e.object : at->second;
}

std::vector<uint64_t> Sharing::add(const Trace& trace) {
  for (const ObjectRow& row : trace.objects()) {
    const ObjectKind kind = object_kind(row.id);
    // An access may be wider than a word: a line's worth of neighbours counts as one place.
    const bool exact = kind == ObjectKind::kGlobal || kind == ObjectKind::kStack;
    places_[row.id] = mix(mix(static_cast<uint64_t>(kind) + 1, row.a), exact ? (row.b + row.offset) / 64 : row.b);
  }
  std::vector<uint64_t> fresh;
  auto use = [&](const Event& e) {
    const uint64_t where = place(trace, e);
    if (where == 0) return;
    const auto [at, first] = users_.try_emplace(where, trace.thread_id(e));
    if (first || at->second == kSeveral || at->second == trace.thread_id(e)) return;
    at->second = kSeveral;
    fresh.push_back(where);
  };
  for (const Event& e : trace.events()) use(e);
  // The next operation of a thread when the run ended is a use as well.
  for (uint32_t t = 0; t < trace.threads().size(); ++t) {
    Event pending{};
    pending.thread = t;
    pending.op = trace.threads()[t].pending;
    pending.object = trace.threads()[t].object;
    if (pending.op != Op::kNone) use(pending);
  }
  return fresh;
}

uint64_t Sharing::private_place(const Trace& trace, const Event& e) const {
  // Where only synchronisation is seen, what follows a call until the next one may be shared though the call's own object is not.
  const bool accesses_seen = trace.data().points == PointKind::kRacy || trace.data().points == PointKind::kAll;
  if (!accesses_seen && !is_memory(e.op)) return 0;
  const uint64_t where = place(trace, e);
  if (where == 0) return 0;
  const auto at = users_.find(where);
  return at == users_.end() || at->second != kSeveral ? where : 0;
}

bool PassedOver::may_skip(const Trace& run, size_t k, const Event& event) {
  const uint64_t place = sharing_.private_place(run, event);
  if (place == 0) return false;
  kept_[place].push_back({run, k});
  return true;
}

std::vector<PassedOver::Place> PassedOver::learn(const Trace& trace) {
  std::vector<Place> again;
  for (uint64_t place : sharing_.add(trace)) {
    if (auto kept = kept_.extract(place)) again.insert(again.end(), kept.mapped().begin(), kept.mapped().end());
  }
  return again;
}

Plan branch(const Trace& run, size_t k, uint32_t thread, ThreadId waiter, const Limits& limits) {
  Plan plan = plan_for({}, run, limits);
  plan.choices.clear();
  uint64_t number = 1;
  for (size_t i = 0; i < k; ++i) {
    const Event& e = run.events()[i];
    const ThreadId id = run.thread_id(e);
    if (plan.slices.empty() || plan.slices.back().thread != id) plan.slices.push_back({id, 0});
    plan.slices.back().until = e.number;
    if (const auto choice = choice_of(run, e)) plan.choices.push_back(*choice);
    if (e.thread == thread) ++number;
  }
  if (thread != kNoIndex) {
    const ThreadId id = run.threads()[thread].id;
    plan.slices.push_back({id, number});
    if (waiter != kNoThread) plan.choices.push_back({id, number, waiter});
  }
  plan.sort_choices();
  return plan;
}

std::string outside_of_space(const Trace& run) {
  std::string why;
  walk_positions(run, [&](size_t k, const Position& p) {
    const Event& e = run.events()[k];
    if (!why.empty()) return;
    if ((e.flags & kSpurious) != 0) why = "it has a spurious wake-up";
    if (e.thread == p.current && p.enabled.size() > 1 && p.stays >= kSpinBound && p.free)
      why = fmt::format("more than {} turns of a spin loop at once", kSpinBound);
  });
  return why;
}

Plan without_timeouts(const Trace& run, const Limits& limits) {
  Plan plan = plan_for(schedule_of(run), run, limits);
  std::erase_if(plan.choices, [&](const Choice& c) {
    const auto events = run.events();
    return std::ranges::any_of(events,
                               [&](const Event& e) { return e.number == c.number && has(e.op, kTimed) && run.thread_id(e) == c.thread; });
  });
  return plan;
}

}  // namespace heddle::simplify
