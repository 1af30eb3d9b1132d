#include "exec/agreement.h"

#include <algorithm>
#include <tuple>

namespace heddle::exec {

namespace {

const Choice* choice_at(const Plan& plan, ThreadId thread, uint64_t number) {
  const auto at = std::lower_bound(plan.choices.begin(), plan.choices.end(), std::tie(thread, number),
                                   [](const Choice& c, const auto& key) { return std::tie(c.thread, c.number) < key; });
  return at != plan.choices.end() && at->thread == thread && at->number == number ? &*at : nullptr;
}

// Policies that leave a choice at its first option, as slices do.
bool takes_defaults(const PolicySpec& tail) {
  return tail.early == 0 && tail.spurious == 0 && !draws_in_slices(tail) &&
         (tail.kind == PolicyKind::kStay || tail.kind == PolicyKind::kFifo || tail.kind == PolicyKind::kTimeSlice);
}

bool same_skips(const std::vector<Skip>& a, const std::vector<Skip>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Skip& x, const Skip& y) {
    return x.kind == y.kind && x.thread == y.thread && x.loop == y.loop && x.iteration == y.iteration && x.more == y.more;
  });
}

}  // namespace

Executed::Executed(const Plan& plan, Trace trace, uint64_t root) : trace_(std::move(trace)), root_(root), skips_(plan.skips) {
  const bool defaults = takes_defaults(plan.tail);
  const auto events = trace_.events();
  for (size_t i = 0; i < events.size(); ++i) {
    const Event& e = events[i];
    const auto made = choice_of(trace_, e);
    const bool choice = made.has_value();
    const bool waits = e.op == Op::kCondWait || e.op == Op::kCondTimedWait;
    if (!choice && !has(e.op, kTimed) && !waits) continue;
    const ThreadId thread = trace_.thread_id(e);
    const bool asked = choice_at(plan, thread, e.number) != nullptr;
    decided_.push_back(
        {i, thread, e.number, choice ? made->value : e.value, choice, (waits ? plan.tail.spurious == 0 : defaults) && !asked});
  }
}

// As Director::follow_slices does, where every slice finds its thread able to run.
Executed::Agreement Executed::follow_slices(const Plan& plan, uint64_t limit) const {
  Agreement a{std::min(root_, limit), 0};
  const auto& slices = plan.slices;
  const auto events = trace_.events();
  for (const TraceSlice& s : trace_.slices()) {
    const uint64_t end = std::min<uint64_t>(s.end, limit);
    if (end <= a.events) continue;
    const ThreadId thread = trace_.threads()[s.thread].id;
    while (a.events < end) {
      const uint64_t number = events[a.events].number;
      size_t at = a.cursor;
      while (at < slices.size() && slices[at].thread == thread && slices[at].until < number) ++at;
      if (at == slices.size() || slices[at].thread != thread) return a;
      const uint64_t last = number + (end - a.events) - 1;
      a.events += std::min(last, slices[at].until) - number + 1;
      a.cursor = at + (slices[at].until <= last ? 1 : 0);
    }
    if (end == limit) break;
  }
  return a;
}

// The first event below `limit` that would go otherwise although the same threads run.
uint64_t Executed::first_other_choice(const Plan& plan, uint64_t limit) const {
  size_t found = 0;
  const bool draws = draws_in_slices(plan.tail);
  for (const Decided& d : decided_) {
    if (d.event >= limit) break;
    const Choice* choice = choice_at(plan, d.thread, d.number);
    if (choice != nullptr ? !d.choice || choice->value != d.value : !d.by_default || (draws && d.choice)) return d.event;
    found += choice != nullptr ? 1 : 0;
  }
  if (found == plan.choices.size()) return limit;
  // A choice at an event that has made none.
  std::unordered_map<ThreadId, uint64_t> operations;
  for (const TraceSlice& s : trace_.slices()) {
    if (s.begin >= limit) break;
    operations[trace_.threads()[s.thread].id] = trace_.events()[std::min<uint64_t>(s.end, limit) - 1].number;
  }
  size_t inside = 0;
  for (const Choice& c : plan.choices) {
    const auto at = operations.find(c.thread);
    inside += at != operations.end() && c.number <= at->second ? 1 : 0;
  }
  return inside == found ? limit : 0;
}

Executed::Agreement Executed::agreement(const Plan& plan, uint64_t limit) const {
  if (!same_skips(skips_, plan.skips)) return {};
  // The limit of events ends a run at its own event, wherever it began.
  limit = std::min({limit, static_cast<uint64_t>(trace_.events().size()), plan.limits.events});
  const Agreement a = follow_slices(plan, limit);
  uint64_t other = first_other_choice(plan, a.events);
  // The operation that ends the last slice is chosen by the slice; what it chooses, the tail draws.
  if (a.cursor == plan.slices.size() && !takes_defaults(plan.tail)) other = std::min(other, a.events - std::min<uint64_t>(a.events, 1));
  return other >= a.events ? a : follow_slices(plan, other);
}

}  // namespace heddle::exec
