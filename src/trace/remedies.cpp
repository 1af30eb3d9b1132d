// What might remove a failure: candidates, to be tried.
#include <algorithm>
#include <set>

#include "model/condition.h"
#include "trace/happens_before.h"
#include "trace/imposed.h"

namespace heddle::trace {

namespace {

constexpr size_t kNear = 12;  // operations of the thread on either side of a switch that are looked at
constexpr size_t kMostOrders = 12;

Spot spot_of(const Event& e) { return {e.op, e.site}; }
bool locks_it(Op op) {
  const Family f = row(op).family;
  return (f == Family::kMutexes || f == Family::kRwlocks) && has(op, kAcquires);
}
bool unlocks_it(Op op) {
  const Family f = row(op).family;
  return (f == Family::kMutexes || f == Family::kRwlocks) && has(op, kReleases);
}

class Remedies {
 public:
  Remedies(const Trace& failing, const Trace* passing) : failing_(failing), passing_(passing) {}

  std::vector<Remedy> all() {
    for (const TraceSlice& slice : failing_.slices()) {
      if (slice.preempted_paper) at_switch(slice.thread, slice.end);
    }
    if (failing_.outcome().kind == OutcomeKind::kDeadlock) {
      gates();
      wake_ups();
    }
    orders();
    return std::move(found_);
  }

 private:
  // Events of the thread before the position, the last first; and from it on.
  std::vector<size_t> before(uint32_t thread, size_t position) const {
    std::vector<size_t> list;
    for (size_t i = position; i-- > 0 && list.size() < kNear;) {
      if (failing_.events()[i].thread == thread) list.push_back(i);
    }
    return list;
  }
  std::vector<size_t> after(uint32_t thread, size_t position) const {
    std::vector<size_t> list;
    for (size_t i = position; i < failing_.events().size() && list.size() < kNear; ++i) {
      if (failing_.events()[i].thread == thread) list.push_back(i);
    }
    return list;
  }

  // The operation that ends what one at that place begins: of any thread, in either run.
  std::optional<Event> release_after(const Spot& taken, bool waits_too) const {
    for (const Trace* trace : {&failing_, passing_}) {
      if (trace == nullptr) continue;
      for (size_t i = 0; i < trace->events().size(); ++i) {
        const Event& e = trace->events()[i];
        if (!(spot_of(e) == taken)) continue;
        for (size_t j = i + 1; j < trace->events().size(); ++j) {
          const Event& r = trace->events()[j];
          if (r.thread != e.thread) continue;
          const bool gives = r.object == e.object && unlocks_it(r.op);
          if (gives || (waits_too && model::is_condition_wait(r.op))) return r;
        }
      }
    }
    return std::nullopt;
  }

  void at_switch(uint32_t thread, size_t position) {
    const std::vector<size_t> back = before(thread, position);
    std::vector<Event> next;
    for (size_t i : after(thread, position)) next.push_back(failing_.events()[i]);
    // Its next operation, which it never executed.
    const Thread& t = failing_.threads()[thread];
    if (next.size() < kNear && t.pending != Op::kNone && t.state != ThreadState::kFinished)
      next.push_back({thread, t.operations + 1, t.pending, 0, 0, t.object, t.site, 0});
    locks_held_on(back, next);
    sections(back, next);
  }

  // The lock that the thread gave back last, held until it gives back the one that it takes next.
  void locks_held_on(const std::vector<size_t>& back, const std::vector<Event>& next) {
    for (size_t r = 0; r < back.size(); ++r) {
      const Event& given = failing_.events()[back[r]];
      if (!unlocks_it(given.op)) continue;
      for (size_t a = r + 1; a < back.size(); ++a) {
        const Event& taken = failing_.events()[back[a]];
        if (!locks_it(taken.op) || taken.object != given.object) continue;
        for (const Event& n : next) {
          if (!locks_it(n.op)) continue;
          const auto end = release_after(spot_of(n), true);
          if (!end) break;
          Remedy remedy{};
          remedy.form = Remedy::Form::kHoldLock;
          remedy.imposed.enter = {spot_of(taken)};
          remedy.imposed.leave = {spot_of(*end)};
          remedy.from = taken;
          remedy.to = *end;
          remedy.given_back = given;
          Remedy earlier = remedy;
          add(std::move(remedy));
          if (n.object != taken.object) take_before(std::move(earlier), n);
          break;
        }
        break;
      }
    }
  }

  // The lock that the thread takes next, taken before the one that it gave back last.
  void take_before(Remedy remedy, const Event& next) {
    remedy.form = Remedy::Form::kTakeBefore;
    remedy.imposed.before = next.object;
    remedy.given_back = next;
    add(std::move(remedy));
  }

  // From an access before the switch to the next one to the same memory behind it.
  void sections(const std::vector<size_t>& back, const std::vector<Event>& next) {
    for (size_t b : back) {
      const Event& x = failing_.events()[b];
      if (!is_memory(x.op)) continue;
      for (const Event& y : next) {
        if (!is_memory(y.op) || y.object != x.object) continue;
        Remedy remedy{};
        remedy.form = Remedy::Form::kOneSection;
        remedy.imposed.enter = {spot_of(x)};
        remedy.imposed.leave = {spot_of(y)};
        remedy.from = x;
        remedy.to = y;
        add(std::move(remedy));
        break;
      }
    }
    // What belongs together may be two variables: an index and what lies there.
    const auto is_access = [](const Event& e) { return is_memory(e.op); };
    const auto x = std::find_if(back.begin(), back.end(), [&](size_t b) { return is_access(failing_.events()[b]); });
    const auto y = std::find_if(next.begin(), next.end(), is_access);
    if (x == back.end() || y == next.end() || failing_.events()[*x].object == y->object) return;
    Remedy remedy{};
    remedy.form = Remedy::Form::kOneSection;
    remedy.from = failing_.events()[*x];
    remedy.to = *y;
    remedy.imposed.enter = {spot_of(remedy.from)};
    remedy.imposed.leave = {spot_of(remedy.to)};
    add(std::move(remedy));
  }

  // One lock around all that the threads of a cycle hold.
  void gates() {
    Remedy remedy{};
    remedy.form = Remedy::Form::kGate;
    remedy.imposed.gate = true;
    for (const Thread& t : failing_.threads()) {
      if (t.holder == kNoIndex || t.holder_site == kNoSite) continue;
      for (size_t i = failing_.events().size(); i-- > 0;) {
        const Event& e = failing_.events()[i];
        if (e.thread != t.holder || e.object != t.object || !has(e.op, kAcquires)) continue;
        if (remedy.imposed.enter.empty()) remedy.from = e;
        remedy.to = e;
        remedy.imposed.enter.push_back(spot_of(e));
        if (const auto end = release_after(spot_of(e), false)) remedy.imposed.leave.push_back(spot_of(*end));
        break;
      }
    }
    if (remedy.imposed.enter.size() > 1) add(std::move(remedy));
  }

  // Wake-ups that came while nobody waited, between somebody's test and its wait: given under the lock of the wait, they come before the test or
  // after the wait has begun.
  void wake_ups() {
    const auto events = failing_.events();
    std::set<uint32_t> seen;
    for (size_t w = events.size(); w-- > 0;) {
      // The last operation of its thread.
      if (!seen.insert(events[w].thread).second || !model::is_condition_wait(events[w].op)) continue;
      const Event& wait = events[w];
      const ObjectId lock = wait.value;
      std::optional<Event> taken;
      for (size_t i = w; i-- > 0 && !taken;) {
        if (events[i].thread == wait.thread && events[i].object == lock && locks_it(events[i].op)) taken = events[i];
      }
      if (!taken) continue;
      std::set<uint32_t> owners;
      for (size_t i = 0; i < w; ++i) {
        const Event& e = events[i];
        if (e.object == lock && locks_it(e.op) && (e.flags & kFailed) == 0) owners.insert(e.thread);
        if ((e.object == lock && unlocks_it(e.op)) || model::is_condition_wait(e.op)) owners.erase(e.thread);
        const bool wakes = e.op == Op::kCondSignal || e.op == Op::kCondBroadcast;
        if (wakes && e.object == wait.object && e.thread != wait.thread && !owners.contains(e.thread)) wake_under_lock(e, wait, *taken);
      }
    }
  }

  void wake_under_lock(const Event& wakes, const Event& wait, const Event& taken) {
    Remedy remedy{};
    remedy.form = Remedy::Form::kTakeLock;
    remedy.imposed.enter = {spot_of(taken)};
    remedy.imposed.leave = {spot_of(wait)};
    if (const auto end = release_after(spot_of(taken), false)) remedy.imposed.leave.push_back(spot_of(*end));
    remedy.imposed.out = {spot_of(wakes)};
    remedy.from = wakes;
    remedy.to = wait;
    remedy.given_back = taken;
    add(std::move(remedy));
  }

  // That came in another order in the passing run.
  void orders() {
    if (passing_ == nullptr) return;
    std::set<std::pair<std::pair<Op, SiteId>, std::pair<Op, SiteId>>> seen;
    for (const EventPair& pair : reversible_conflicts(*passing_)) {
      const Event& first = passing_->events()[pair.first];
      const Event& second = passing_->events()[pair.second];
      if (first.thread == second.thread || spot_of(first) == spot_of(second) || seen.size() >= kMostOrders) continue;
      Event awaited = first;
      if (locks_it(first.op)) {
        if (const auto end = release_after(spot_of(first), false)) awaited = *end;
      }
      if (!seen.insert({{second.op, second.site}, {awaited.op, awaited.site}}).second) continue;
      Remedy remedy{};
      remedy.form = Remedy::Form::kWait;
      remedy.imposed.kind = ImposedKind::kOrder;
      remedy.imposed.waits = spot_of(second);
      remedy.imposed.awaited = spot_of(awaited);
      remedy.from = second;
      remedy.to = awaited;
      add(std::move(remedy));
    }
  }

  // One that the failing run obeys cannot remove its failure.
  void add(Remedy remedy) {
    const bool there = std::any_of(found_.begin(), found_.end(), [&](const Remedy& r) {
      return r.form == remedy.form && r.imposed.enter == remedy.imposed.enter && r.imposed.leave == remedy.imposed.leave &&
             r.imposed.waits == remedy.imposed.waits && r.imposed.awaited == remedy.imposed.awaited;
    });
    if (!there && !obeys(failing_, remedy.imposed)) found_.push_back(std::move(remedy));
  }

  const Trace& failing_;
  const Trace* const passing_;
  std::vector<Remedy> found_;
};

}  // namespace

std::vector<Remedy> remedies(const Trace& failing, const Trace* passing) { return Remedies(failing, passing).all(); }

}  // namespace heddle::trace
