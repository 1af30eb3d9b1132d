#include "search/reversal.h"

#include <algorithm>

#include "search/lock_cycles.h"
#include "search/make.h"
#include "trace/locks.h"

namespace heddle::search {

namespace {

constexpr size_t kMostWaiting = 20'000;
constexpr uint32_t kFirstMeetings = 4;
constexpr uint32_t kBackTier = 3;
constexpr size_t kMostEnders = 4;
constexpr size_t kFewThreads = 3;  // main and two more

// Of what happens again and again: the first times, and then ever fewer.
bool again_and_again(uint32_t times, uint32_t first) { return times <= first || (times & (times - 1)) == 0; }

// Appends one operation to slices, lengthening the last one where it is the same thread's.
void append(std::vector<Slice>& slices, ThreadId thread, uint64_t number) {
  if (!slices.empty() && slices.back().thread == thread) {
    slices.back().until = number;
  } else {
    slices.push_back({thread, number});
  }
}

// For each event, whether its thread stands in the midst of shared work there: it has touched a contended object and not since come to a
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

Reversals::Reversals(std::shared_ptr<SearchHistory> history) : history_(history ? std::move(history) : std::make_shared<SearchHistory>()) {}

Plan plan_for(const Reversal& r, const SearchOptions& options) {
  Plan plan = plan_with(options, PolicyKind::kStay, 0);
  const auto events = r.trace.events();
  for (size_t i = 0; i < r.position; ++i) {
    append(plan.slices, r.trace.thread_id(events[i]), events[i].number);
    if ((events[i].flags & kChoice) != 0) plan.choices.push_back({r.trace.thread_id(events[i]), events[i].number, events[i].value});
  }
  for (const Slice& s : r.then) append(plan.slices, s.thread, s.until);
  plan.sort_choices();
  return plan;
}

std::vector<Slice> way_to(const Trace& trace, const HappensBefore& must, size_t position, size_t last, const std::vector<ObjectId>& taken) {
  constexpr size_t kFarthest = 100'000;
  std::vector<Slice> way;
  const auto events = trace.events();
  if (last - position > kFarthest) return {};
  for (size_t k = position; k <= last; ++k) {
    const Event& e = events[k];
    if (e.thread != events[last].thread && !must.before(k, last)) continue;
    if (k < last && is_lock_request(e.op) && has(e.op, kBlocks) && std::find(taken.begin(), taken.end(), e.object) != taken.end())
      return {};
    append(way, trace.thread_id(e), e.number);
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

void Reversals::push(Candidate candidate) {
  if (candidates_.size() >= kMostWaiting) return;
  const Rank rank{cost(candidate), candidate.order, candidates_.size()};
  candidates_.push_back(std::move(candidate));
  waiting_.insert(rank);
}

// Ranks go stale when their pair of sites is tried elsewhere: put right when they come up.
std::optional<Reversals::Rank> Reversals::best() {
  while (!waiting_.empty()) {
    Rank rank = *waiting_.begin();
    const uint64_t now = cost(candidates_[rank.at]);
    if (now == rank.cost) return rank;
    waiting_.erase(waiting_.begin());
    rank.cost = now;
    waiting_.insert(rank);
  }
  return std::nullopt;
}

// A preemption more, or the same sites tried once before, weighs as much as a switch at the beginning of a thread's work.
uint64_t Reversals::cost(const Candidate& c) { return c.tier + 2 * uint64_t{c.preemptions} + 2 * history_->tried[c.key]; }

// The last slice's thread goes on of itself: how far the plan takes it makes no difference.
uint64_t Reversals::schedule_of(const Candidate& c) {
  std::vector<Slice> slices;
  for (size_t i = 0; i < c.position; ++i) append(slices, c.trace->thread_id(c.trace->events()[i]), c.trace->events()[i].number);
  for (const Slice& s : c.then) append(slices, s.thread, s.until);
  uint64_t hash = slices.size();
  for (size_t i = 0; i < slices.size(); ++i) hash = mix(hash, mix(slices[i].thread, i + 1 < slices.size() ? slices[i].until : 0));
  for (size_t i = 0; i < c.position; ++i) {
    if ((c.trace->events()[i].flags & kChoice) != 0) hash = mix(hash, mix(i, c.trace->events()[i].value));
  }
  return hash;
}

std::optional<Reversal> Reversals::take() {
  while (const auto rank = best()) {
    waiting_.erase(waiting_.begin());
    Candidate& c = candidates_[rank->at];
    const bool fresh = planned_.insert(schedule_of(c)).second;
    Reversal r{*c.trace, c.position, std::move(c.then)};
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
  const HappensBefore must(trace, Edges::kMust);
  const auto shared = std::make_shared<const Trace>(trace);
  auto name = [&](size_t i) { return mix(events[i].site, static_cast<uint64_t>(events[i].op)); };

  std::unordered_map<size_t, std::vector<ObjectId>> held = locks_at_first(trace, pairs);
  const std::vector<size_t> slice_end = ends_of_slices(trace);
  add_rings(shared, must);
  add_ends(shared, states);
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
    std::vector<Slice> then = way_to(trace, must, pair.first, pair.second, held[pair.first]);
    if (then.empty()) continue;
    if (back) {
      started_.insert(back_start);
      Candidate c{shared, pair.first, then, back_key, tier + kBackTier, preemptions[pair.first], order_++};
      append(c.then, trace.thread_id(events[pair.first]), events[pair.first].number);
      push(std::move(c));
    }
    if (!there) continue;
    started_.insert(start);
    Candidate c{shared, pair.first, then, key, tier, preemptions[pair.first], order_++};
    push(std::move(c));
    if (trace.threads().size() <= kFewThreads) continue;
    // With more threads, the one that has waited longest comes after it. The other way: on to where it gave way, and back to the interrupted
    // thread before a third one comes in.
    Candidate on{shared, pair.first, std::move(then), mix(key, 0x0D), tier + kBackTier, preemptions[pair.first], order_++};
    append(on.then, trace.threads()[thread].id, events[slice_end[pair.second]].number);
    append(on.then, trace.thread_id(events[pair.first]), events[pair.first].number);
    push(std::move(on));
  }
}

}  // namespace heddle::search
