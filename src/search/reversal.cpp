#include "search/reversal.h"

#include <algorithm>

#include "policy/point_view.h"
#include "search/lock_cycles.h"
#include "search/make.h"
#include "trace/known.h"
#include "trace/locks.h"
#include "trace/patience.h"
#include "trace/sight.h"

namespace heddle::search {

namespace {

constexpr size_t kMostWaiting = 20'000;
constexpr uint32_t kFirstMeetings = 4;
constexpr uint32_t kBackTier = 3;
constexpr size_t kMostEnders = 4;
constexpr size_t kFewThreads = 3;  // main and two more

// Of what happens again and again: the first times, and then ever fewer.
bool again_and_again(uint32_t times, uint32_t first) { return times <= first || (times & (times - 1)) == 0; }

// For each event, whether its thread is in the midst of shared work there: it has touched a contended object and not since come to a
// point where it waited for others.
std::vector<bool> inside_work(const Trace& trace, const std::vector<EventPair>& pairs) {
  std::vector<bool> contended(trace.events().size());
  for (const EventPair& p : pairs) contended[p.first] = contended[p.second] = true;
  std::vector<bool> touched(trace.threads().size());
  std::vector<bool> inside(trace.events().size());
  for (size_t i = 0; i < trace.events().size(); ++i) {
    const Event& e = trace.events()[i];
    inside[i] = touched[e.thread];
    if (contended[i]) touched[e.thread] = true;
  }
  return inside;
}

std::vector<uint32_t> preemptions_before(const Trace& trace) {
  std::vector<uint32_t> count(trace.events().size() + 1);
  size_t slice = 0;
  uint32_t so_far = 0;
  for (size_t i = 0; i < trace.events().size(); ++i) {
    while (trace.slices()[slice].end <= i) so_far += trace.slices()[slice++].preempted ? 1 : 0;
    count[i] = so_far;
  }
  count.back() = so_far;
  return count;
}

}  // namespace

Reversals::Reversals(std::shared_ptr<SearchHistory> history, uint32_t timing)
    : timing_(timing), history_(history ? std::move(history) : std::make_shared<SearchHistory>()) {}

namespace {

constexpr size_t kMostSleeps = 64;  // of one run
constexpr uint64_t kLongestSleepUs = policy::kLongestEarlyMs * 1'000;
constexpr uint64_t kNsInUs = 1'000;

bool ended_by_time(const Event& e) { return e.op == Op::kSleep || (e.flags & kTimedOut) != 0; }

// What ended before its time up to each event.
std::vector<uint32_t> timing_before(const Trace& trace) {
  const auto events = trace.events();
  std::vector<uint32_t> timing(events.size() + 1);
  for (size_t i = 0; i < events.size(); ++i) timing[i + 1] = timing[i] + (before_its_time(events[i]) ? 1 : 0);
  return timing;
}

// The longer the sleep, the less likely it is that others take as long.
uint32_t tier_of(uint64_t us) {
  uint32_t tier = 0;
  for (; us > 1'000; us /= 10) ++tier;
  return tier;
}

// How long it would have taken, where the event says so.
uint64_t length_us(const Event& e) {
  if ((e.flags & kEarly) != 0) return e.size;
  return e.op == Op::kSleep ? e.value / kNsInUs : 1'000;
}

}  // namespace

// Sleeps that end at once, and waits on conditions that end without a signal.
void Reversals::add_sleeps(const std::shared_ptr<const Trace>& trace, const std::vector<uint64_t>& states) {
  const auto events = trace->events();
  std::vector<size_t> before(trace->threads().size());  // one more than the index of the thread's last event
  std::unordered_map<uint64_t, uint32_t> seen;
  uint32_t so_far = 0;  // that ended before its time
  size_t added = 0;
  for (size_t i = 0; i < events.size() && added < kMostSleeps && so_far < timing_; ++i) {
    const Event& e = events[i];
    const size_t free = before[e.thread];
    before[e.thread] = i + 1;
    const ThreadId thread = trace->thread_id(e);
    const bool waits = e.op == Op::kCondWait && (e.flags & (kFailed | kSpurious)) == 0;
    // Where nobody ran in between, it has ended at once already.
    const bool sleeps = has(e.op, kTimed) && ended_by_time(e) && (e.flags & kEarly) == 0 && free < i && length_us(e) <= kLongestSleepUs;
    const size_t position = waits ? i : free;
    const uint64_t key = mix(mix(e.site, waits ? 0x59A : 0x51EE), so_far);
    if ((sleeps || waits) && again_and_again(++seen[key], 1) &&
        started_.insert(mix(mix(position == 0 ? 0 : states[position - 1], thread), waits ? 0x59A : 0x51EE)).second) {
      Candidate c{trace, position, {{thread, e.number}}, key, waits ? 3u : tier_of(length_us(e)), 0, order_++};
      c.choices = {{thread, e.number, waits ? kChoiceSpurious : kChoiceTimeout}};
      c.timing = so_far + 1;
      push(std::move(c));
      ++added;
    }
    so_far += before_its_time(e) ? 1 : 0;
  }
}

// Waits with a time-out that somebody else ended, or the end of the process: they could have timed out in the midst of that one's work. Tried
// where they begin, and before each operation of others there that threads meet on. How long they would have taken no event says.
void Reversals::add_timeouts(const std::shared_ptr<const Trace>& trace, const std::vector<uint64_t>& states,
                             const std::vector<EventPair>& pairs) {
  constexpr uint32_t kAtBegin = 1, kInside = 2;  // tiers
  const auto events = trace->events();
  std::vector<size_t> contended;
  for (const EventPair& p : pairs) contended.insert(contended.end(), {p.first, p.second});
  std::sort(contended.begin(), contended.end());
  contended.erase(std::unique(contended.begin(), contended.end()), contended.end());
  const std::vector<uint32_t> timing = timing_before(*trace);
  std::unordered_map<uint64_t, uint32_t> seen;
  size_t added = 0;
  auto add = [&](size_t position, ThreadId thread, uint64_t number, SiteId site, uint32_t tier) {
    if (added == kMostSleeps || timing[position] >= timing_) return;
    const uint64_t key = mix(mix(site, tier == kAtBegin ? 0 : events[position].site), mix(0x71E0, timing[position]));
    if (!again_and_again(++seen[key], 1)) return;
    if (!started_.insert(mix(mix(position == 0 ? 0 : states[position - 1], thread), 0x71E0)).second) return;
    Candidate c{trace, position, {{thread, number}}, key, tier, 0, order_++};
    c.choices = {{thread, number, kChoiceTimeout}};
    c.timing = timing[position] + 1;
    push(std::move(c), timeouts_waiting_);
    ++added;
  };
  auto add_wait = [&](size_t begin, size_t end, uint32_t slot, uint64_t number, SiteId site) {
    const ThreadId thread = trace->threads()[slot].id;
    if (begin < end) add(begin, thread, number, site, kAtBegin);
    for (auto at = std::upper_bound(contended.begin(), contended.end(), begin); at != contended.end() && *at < end; ++at)
      add(*at, thread, number, site, kInside);
  };
  std::vector<size_t> before(trace->threads().size());  // one more than the index of the thread's last event
  std::vector<uint64_t> number(trace->threads().size());
  for (size_t i = 0; i < events.size() && added < kMostSleeps; ++i) {
    const Event& e = events[i];
    if (has(e.op, kTimed) && !ended_by_time(e)) add_wait(before[e.thread], i, e.thread, e.number, e.site);
    before[e.thread] = i + 1;
    number[e.thread] = e.number;
  }
  for (uint32_t slot = 0; slot < trace->threads().size(); ++slot) {
    const Thread& t = trace->threads()[slot];
    if (t.state == ThreadState::kFinished || !has(t.pending, kTimed) || t.pending == Op::kSleep) continue;
    add_wait(before[slot], events.size(), slot, number[slot] + 1, t.site);
  }
}

Plan plan_for(const Reversal& r, const SearchOptions& options) {
  Plan plan = plan_with(options, PolicyKind::kStay, 0);
  follow(plan, r.trace, r.position);
  plan.choices.insert(plan.choices.end(), r.choices.begin(), r.choices.end());
  for (const Slice& s : r.then) append(plan.slices, s.thread, s.until);
  plan.sort_choices();
  return plan;
}

std::vector<Slice> way_to(const Trace& trace, const HappensBefore& must, size_t position, size_t last, const std::vector<ObjectId>& taken,
                          std::vector<Choice>* choices) {
  constexpr size_t kFarthest = 100'000;
  std::vector<Slice> way;
  const auto events = trace.events();
  if (last - position > kFarthest) return {};
  for (size_t k = position; k <= last; ++k) {
    think();
    const Event& e = events[k];
    if (e.thread != events[last].thread && !must.before(k, last)) continue;
    if (k < last && is_lock_request(e.op) && has(e.op, kBlocks) && std::find(taken.begin(), taken.end(), e.object) != taken.end())
      return {};
    append(way, trace.thread_id(e), e.number);
    if (choices == nullptr || !has(e.op, kTimed) || !ended_by_time(e)) continue;
    if (length_us(e) > kLongestSleepUs) return {};
    choices->push_back({trace.thread_id(e), e.number, kChoiceTimeout});
  }
  return way;
}

void Reversals::add_rings(const std::shared_ptr<const Trace>& trace, const HappensBefore& must) {
  for (std::vector<LockEdge>& ring : lock_cycles(*trace)) {
    std::sort(ring.begin(), ring.end(), [](const LockEdge& a, const LockEdge& b) { return a.taken < b.taken; });
    uint64_t key = 0;
    for (const LockEdge& edge : ring) key += mix(trace->events()[edge.taken].site, trace->events()[edge.request].site);
    if (!rings_.insert(key).second) continue;
    Candidate c{trace, ring.front().taken, {}, key, 0, 0, order_++};
    for (const LockEdge& edge : ring) {
      // As far as its request, which the next one in the ring must come before.
      std::vector<Slice> way = way_to(*trace, must, c.position, edge.request, {});
      if (!way.empty() && --way.back().until == 0) way.pop_back();
      for (const Slice& s : way) append(c.then, s.thread, s.until);
    }
    push(std::move(c));
  }
}

// Who is still under way when the process ends could have come before its end, and meets there what has been torn down.
void Reversals::add_ends(const std::shared_ptr<const Trace>& trace, const std::vector<uint64_t>& states) {
  const auto events = trace->events();
  const auto threads = trace->threads();
  size_t end = events.size();
  while (end > 0 && events[end - 1].op != Op::kExit) --end;
  if (end < 2) return;
  const size_t position = end - 1;
  size_t added = 0;
  for (uint32_t i = 0; i < threads.size() && added < kMostEnders; ++i) {
    if (i == events[position].thread || threads[i].state != ThreadState::kRunnable) continue;
    if (!started_.insert(mix(states[position - 1], threads[i].id)).second) continue;
    const uint64_t key = mix(events[position].site, mix(threads[i].site, static_cast<uint64_t>(threads[i].pending)));
    push({trace, position, {{threads[i].id, ~uint64_t{0}}}, key, 0, 0, order_++});
    ++added;
  }
}

void Reversals::push(Candidate candidate, Waiting& waiting) {
  if (candidates_.size() >= kMostWaiting) return;
  if (candidate.timing > 0 && candidate.timing > timing_) return;
  const uint64_t key = candidate.key;
  const uint64_t own = candidate.tier + 2 * uint64_t{candidate.preemptions} + 4 * uint64_t{candidate.timing};
  std::set<Rank>& queue = waiting.by_key[key];
  const Rank rank{own, candidate.order, candidates_.size()};
  candidates_.push_back(std::move(candidate));
  ++waiting.size;
  if (queue.empty() || rank < *queue.begin()) waiting.first.insert({own + tried(key), rank.order, rank.at});
  queue.insert(rank);
}

// A preemption more, or the same sites tried once before, weighs as much as a switch at the beginning of a thread's work.
uint64_t Reversals::tried(uint64_t key) const {
  const auto it = history_->tried.find(key);
  return it == history_->tried.end() ? 0 : 2 * uint64_t{it->second};
}

// A place among the first goes stale when a better one joins its queue, or its sites are tried elsewhere: put right when it comes up.
std::optional<size_t> Reversals::take_best(Waiting& waiting) {
  while (!waiting.first.empty()) {
    const Rank rank = *waiting.first.begin();
    waiting.first.erase(waiting.first.begin());
    const uint64_t key = candidates_[rank.at].key;
    std::set<Rank>& queue = waiting.by_key[key];
    if (queue.empty() || queue.begin()->at != rank.at) continue;
    const uint64_t now = queue.begin()->cost + tried(key);
    if (now != rank.cost) {
      waiting.first.insert({now, rank.order, rank.at});
      continue;
    }
    queue.erase(queue.begin());
    --waiting.size;
    if (!queue.empty()) waiting.first.insert({queue.begin()->cost + tried(key), queue.begin()->order, queue.begin()->at});
    return rank.at;
  }
  return std::nullopt;
}

// The last slice's thread goes on of itself: how far the plan takes it makes no difference.
uint64_t Reversals::schedule_of(const Candidate& c) {
  std::vector<Slice> slices;
  for (size_t i = 0; i < c.position; ++i) {
    think();
    append(slices, c.trace->thread_id(c.trace->events()[i]), c.trace->events()[i].number);
  }
  for (const Slice& s : c.then) append(slices, s.thread, s.until);
  uint64_t hash = slices.size();
  for (size_t i = 0; i < slices.size(); ++i) hash = mix(hash, mix(slices[i].thread, i + 1 < slices.size() ? slices[i].until : 0));
  for (size_t i = 0; i < c.position; ++i) {
    if (const auto choice = choice_of(*c.trace, c.trace->events()[i])) hash = mix(hash, mix(i, choice->value));
  }
  for (const Choice& choice : c.choices) hash = mix(hash, mix(choice.thread, mix(choice.number, choice.value)));
  return hash;
}

std::optional<Reversal> Reversals::take_from(Waiting& waiting) {
  while (const auto best = take_best(waiting)) {
    Candidate& c = candidates_[*best];
    const bool fresh = planned_.insert(schedule_of(c)).second;
    Reversal r{*c.trace, c.position, std::move(c.then), std::move(c.choices)};
    c.trace.reset();
    if (!fresh) continue;
    ++history_->tried[c.key];
    return r;
  }
  return std::nullopt;
}

namespace {

// The locks that the thread of each pair's first event holds when it comes to it.
std::unordered_map<size_t, std::vector<ObjectId>> locks_at_first(const Trace& trace, const std::vector<EventPair>& pairs) {
  const auto events = trace.events();
  std::unordered_map<size_t, std::vector<ObjectId>> held;
  for (const EventPair& p : pairs) held[p.first];
  HeldLocks locks(trace.threads().size());
  for (size_t i = 0; i < events.size(); ++i) {
    if (const auto it = held.find(i); it != held.end()) {
      for (const HeldLock& lock : locks.held(events[i].thread)) it->second.push_back(lock.object);
    }
    locks.step(i, events[i]);
  }
  return held;
}

// The last event of the slice that each event belongs to.
std::vector<size_t> ends_of_slices(const Trace& trace) {
  std::vector<size_t> ends(trace.events().size());
  for (const TraceSlice& s : trace.slices())
    std::fill(ends.begin() + static_cast<ptrdiff_t>(s.begin), ends.begin() + static_cast<ptrdiff_t>(s.end), s.end - 1);
  return ends;
}

}  // namespace

void Reversals::add(const Trace& trace) {
  const std::vector<uint64_t> states = order_hashes(trace);
  if (states.empty() || !orders_.insert(states.back()).second) return;
  const auto events = trace.events();
  const std::vector<EventPair> pairs = reversible_conflicts(trace);
  const std::vector<bool> inside = inside_work(trace, pairs);
  const std::vector<uint32_t> preemptions = preemptions_before(trace);
  const auto order = order_of(trace, Edges::kMust);
  const HappensBefore& must = *order;
  const auto shared = std::make_shared<const Trace>(trace);
  auto name = [&](size_t i) { return mix(events[i].site, static_cast<uint64_t>(events[i].op)); };

  std::unordered_map<size_t, std::vector<ObjectId>> held = locks_at_first(trace, pairs);
  const std::vector<size_t> slice_end = ends_of_slices(trace);
  add_rings(shared, must);
  add_ends(shared, states);
  if (timing_ > 0) {
    add_sleeps(shared, states);
    add_timeouts(shared, states, pairs);
  }
  const std::vector<uint32_t> timing = timing_before(trace);
  std::unordered_map<uint64_t, uint32_t> meetings;
  for (const EventPair& pair : pairs) {
    const uint32_t thread = events[pair.second].thread;
    const uint64_t state = pair.first == 0 ? 0 : states[pair.first - 1];
    const uint64_t start = mix(state, trace.threads()[thread].id);
    const uint64_t key = mix(mix(name(pair.first), name(pair.second)), preemptions[pair.first]);
    const bool both_write = is_memory(events[pair.first].op) && !reads(events[pair.first]) && !reads(events[pair.second]);
    const uint32_t tier = (inside[pair.first] ? 0u : 2u) + (both_write ? 1u : 0u);
    const bool there = !started_.contains(start) && again_and_again(++meetings[key], kFirstMeetings);
    // There and back: the interrupted thread goes on as soon as the other has done the one operation.
    const uint64_t back_key = mix(key, 0xBAC);
    const uint64_t back_start = mix(start, events[pair.second].number);
    const bool back = !started_.contains(back_start) && again_and_again(++meetings[back_key], 1);
    if (!there && !back) continue;
    std::vector<Choice> choices;
    std::vector<Slice> then = way_to(trace, must, pair.first, pair.second, held[pair.first], timing_ > 0 ? &choices : nullptr);
    if (then.empty()) continue;
    const uint32_t early = timing_ > 0 ? timing[pair.first] + static_cast<uint32_t>(choices.size()) : 0;
    if (back) {
      started_.insert(back_start);
      Candidate c{shared, pair.first, then, back_key, tier + kBackTier, preemptions[pair.first], order_++, choices, early};
      append(c.then, trace.thread_id(events[pair.first]), events[pair.first].number);
      push(std::move(c));
    }
    if (!there) continue;
    started_.insert(start);
    Candidate c{shared, pair.first, then, key, tier, preemptions[pair.first], order_++, choices, early};
    push(std::move(c));
    if (trace.threads().size() <= kFewThreads) continue;
    // With more threads, the one that has waited longest comes after it. The other way: on to where it gave way, and back to the interrupted
    // thread before a third one comes in.
    Candidate on{shared,         pair.first,         std::move(then),
                 mix(key, 0x0D), tier + kBackTier,   preemptions[pair.first],
                 order_++,       std::move(choices), early};
    append(on.then, trace.threads()[thread].id, events[slice_end[pair.second]].number);
    append(on.then, trace.thread_id(events[pair.first]), events[pair.first].number);
    push(std::move(on));
  }
}

}  // namespace heddle::search
