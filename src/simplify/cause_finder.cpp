#include "simplify/cause_finder.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "trace/happens_before.h"

namespace heddle::simplify {

namespace {

constexpr size_t kMostPairs = 4'000;
constexpr size_t kMostMiddles = 16;
constexpr double kConvincing = 1.6;  // of 2: the share of failures inside plus the share of passes outside

}  // namespace

// `between` by another thread after `first` and before the same thread's next `second`.
struct CauseFinder::Gap {
  CauseEvent first, second, between;
  uint32_t nth = 0;  // which of the thread's operations like `first`
  bool any_thread = false;
  bool on_first = false, on_second = false;  // is `between` on the same object as they?
};

CauseFinder::CauseFinder(const Trace& failing) { add(failing, RunVerdict::kFailed); }

bool CauseFinder::add(const Trace& trace, RunVerdict verdict) {
  // Runs may end differently although all that we see of them is in the same order: the program's plain accesses decide then.
  if (!seen_.insert(mix(order_hash(trace), static_cast<uint64_t>(verdict))).second) return false;
  samples_.push_back(sample_of(trace, verdict));
  failed_ += verdict == RunVerdict::kFailed;
  passed_ += verdict == RunVerdict::kPassed;
  return true;
}

CauseFinder::Sample CauseFinder::sample_of(const Trace& trace, RunVerdict verdict) {
  Sample s{trace, verdict, {}};
  std::map<Key, uint32_t> met;
  for (size_t i = 0; i < trace.events().size(); ++i) {
    const Event& e = trace.events()[i];
    Key key{trace.thread_id(e), e.op, e.object, e.site, 0};
    key.nth = met[key]++;
    s.at[key] = i;
  }
  return s;
}

// Did a happen, and before b if b happened at all?
bool CauseFinder::came_first(const Sample& s, const Key& a, const Key& b) {
  const auto x = s.at.find(a);
  if (x == s.at.end()) return false;
  const auto y = s.at.find(b);
  return y == s.at.end() || x->second < y->second;
}

CauseFinder::Key CauseFinder::key(size_t event) const {
  const Trace& failing = samples_.front().trace;
  const auto events = failing.events();
  Key k{};
  if (event < events.size()) {
    k = {failing.thread_id(events[event]), events[event].op, events[event].object, events[event].site, 0};
  } else {
    const Thread& t = failing.threads()[event - events.size()];
    k = {t.id, t.pending, t.object, t.site, 0};
  }
  for (size_t i = 0; i < std::min(event, events.size()); ++i) {
    const Event& e = events[i];
    k.nth += failing.thread_id(e) == k.thread && e.op == k.op && e.object == k.object && e.site == k.site;
  }
  return k;
}

CauseSide CauseFinder::count(const std::vector<Pair>& orders, const Pair* turned) const {
  CauseSide side;
  for (const Sample& s : samples_) {
    const bool holds = std::all_of(orders.begin(), orders.end(), [&](const Pair& p) { return came_first(s, p.first, p.second); });
    if (!holds || (turned != nullptr && came_first(s, turned->first, turned->second))) continue;
    switch (s.verdict) {
      case RunVerdict::kFailed: ++side.failed; break;
      case RunVerdict::kPassed: ++side.passed; break;
      case RunVerdict::kOther: ++side.other; break;
    }
  }
  return side;
}

// The share of failures for which it holds plus the share of passes for which it does not; fills in the sides.
template <typename Holds>
double CauseFinder::score(Holds holds, Cause* cause) const {
  cause->inside = cause->outside = CauseSide();
  for (const Sample& s : samples_) {
    CauseSide& side = holds(s) ? cause->inside : cause->outside;
    switch (s.verdict) {
      case RunVerdict::kFailed: ++side.failed; break;
      case RunVerdict::kPassed: ++side.passed; break;
      case RunVerdict::kOther: ++side.other; break;
    }
  }
  if (failed_ == 0 || passed_ == 0) return 0;
  return static_cast<double>(cause->inside.failed) / static_cast<double>(failed_) +
         static_cast<double>(cause->outside.passed) / static_cast<double>(passed_);
}

bool CauseFinder::inside(const Sample& s, const Gap& gap) {
  const auto events = s.trace.events();
  const ThreadId wanted = gap.first.thread;
  // For each thread that may play the part: which of its operations like `first` this is, and where it stands open.
  std::map<uint32_t, uint32_t> met;
  std::map<uint32_t, ObjectId> open;  // thread index -> object of its `first`
  std::map<uint32_t, std::set<ObjectId>> middles;
  if (gap.first.op == Op::kNone) {
    for (uint32_t t = 0; t < s.trace.threads().size(); ++t) {
      if (gap.any_thread || s.trace.threads()[t].id == wanted) open[t] = kNoObject;
    }
  }
  auto is = [&](const Event& e, const CauseEvent& c) {
    return e.op == c.op && e.site == c.site && (gap.any_thread || e.object == c.object);
  };
  for (const Event& e : events) {
    const bool plays = gap.any_thread || s.trace.thread_id(e) == wanted;
    // It never comes to `second` any more.
    if (e.op == Op::kThreadExit && gap.second.op != Op::kThreadExit) {
      open.erase(e.thread);
      middles.erase(e.thread);
    }
    if (plays && open.contains(e.thread) && is(e, gap.second)) {
      if (middles.contains(e.thread) && (!gap.on_second || middles[e.thread].contains(e.object))) return true;
      open.erase(e.thread);
      middles.erase(e.thread);
    }
    if (plays && gap.first.op != Op::kNone && is(e, gap.first)) {
      const uint32_t nth = met[e.thread]++;
      if (gap.any_thread || nth == gap.nth) {
        open[e.thread] = e.object;
        middles.erase(e.thread);
      }
    }
    const bool middle = gap.between.op == Op::kNone ? s.trace.thread_id(e) == gap.between.thread
                                                    : is(e, gap.between) && (gap.any_thread || s.trace.thread_id(e) == gap.between.thread);
    if (!middle) continue;
    for (const auto& [thread, object] : open) {
      if (thread == e.thread || (gap.on_first && object != kNoObject && object != e.object)) continue;
      middles[thread].insert(e.object);
    }
  }
  // The run ended before the thread went on.
  return std::any_of(open.begin(), open.end(), [&](const auto& entry) { return middles.contains(entry.first); });
}

CauseEvent CauseFinder::event_numbered(uint32_t thread, uint64_t number) const {
  const Trace& failing = samples_.front().trace;
  const auto events = failing.events();
  for (size_t i = 0; i < events.size(); ++i) {
    if (events[i].thread == thread && events[i].number == number)
      return {failing.thread_id(events[i]), events[i].op, events[i].object, events[i].site, i};
  }
  return {failing.threads()[thread].id, Op::kNone, kNoObject, kNoSite, kNoDifference};
}

std::optional<Cause> CauseFinder::window(uint32_t thread, uint64_t low, uint64_t high) const {
  const Trace& failing = samples_.front().trace;
  const auto events = failing.events();
  Gap gap;
  gap.first = event_numbered(thread, low);
  gap.second = event_numbered(thread, high);
  if (gap.second.op == Op::kNone) {  // never executed: the thread's next operation when the run ended
    const Thread& t = failing.threads()[thread];
    gap.second = {t.id, t.pending, t.object, t.site, kNoDifference};
  }
  const size_t begin = gap.first.step == kNoDifference ? 0 : gap.first.step + 1;
  const size_t end = std::min(gap.second.step, events.size());
  for (size_t i = 0; i + 1 < begin; ++i) {
    const Event& e = events[i];
    gap.nth += e.thread == thread && e.op == gap.first.op && e.object == gap.first.object && e.site == gap.first.site;
  }
  // What others do there, those first that touch what the thread itself uses.
  std::set<ObjectId> own;
  for (const Event& e : events) {
    if (e.thread == thread && row(e.op).family != Family::kThreads) own.insert(e.object);
  }
  own.insert(gap.second.object);
  std::vector<CauseEvent> middles;
  std::set<std::tuple<ThreadId, Op, ObjectId, SiteId>> known;
  for (const bool touching : {true, false}) {
    for (size_t i = begin; i < end && middles.size() < kMostMiddles; ++i) {
      const Event& e = events[i];
      if (e.thread == thread || own.contains(e.object) != touching) continue;
      if (known.emplace(failing.thread_id(e), e.op, e.object, e.site).second)
        middles.push_back({failing.thread_id(e), e.op, e.object, e.site, i});
    }
  }
  if (middles.empty()) return std::nullopt;
  middles.push_back({middles.front().thread, Op::kNone, kNoObject, kNoSite, kNoDifference});

  Cause best;
  double best_score = 0;
  for (const CauseEvent& middle : middles) {
    for (const bool any_thread : {false, true}) {
      if (any_thread && middle.op == Op::kNone) continue;
      gap.between = middle;
      gap.any_thread = any_thread;
      gap.on_first = middle.object == gap.first.object;
      gap.on_second = middle.object == gap.second.object;
      Cause c;
      const double s = score([&](const Sample& sample) { return inside(sample, gap); }, &c);
      if (s <= best_score + 1e-9) continue;
      best_score = s;
      c.kind = CauseKind::kWindow;
      c.first = gap.first;
      c.second = gap.second;
      c.between = middle;
      c.other = middle.thread;
      c.any_thread = any_thread;
      best = c;
    }
  }
  return best_score >= kConvincing ? std::optional(best) : std::nullopt;
}

std::optional<Cause> CauseFinder::order() const {
  const Sample& failing = samples_.front();
  const auto passing = std::find_if(samples_.begin(), samples_.end(), [](const Sample& x) { return x.verdict == RunVerdict::kPassed; });
  if (passing == samples_.end()) return std::nullopt;
  // Candidates: conflicts of the failing run and of a passing one, the latest first; and who leaves a barrier first.
  std::map<std::pair<Key, Key>, size_t> candidates;
  for (const Sample* s : {&failing, &*passing}) {
    const auto events = s->trace.events();
    std::vector<const Key*> keys(events.size());
    for (const auto& [key, index] : s->at) keys[index] = &key;
    auto pairs = reversible_conflicts(s->trace, {kMostPairs, 8, 200});
    for (size_t i = 0; i < events.size(); ++i) {
      if (events[i].op != Op::kBarrierLeave) continue;
      for (size_t k = i + 1; k < events.size() && k < i + 64; ++k) {
        if (events[k].op == Op::kBarrierLeave && events[k].object == events[i].object && events[k].thread != events[i].thread)
          pairs.push_back({i, k});
      }
    }
    for (const EventPair& p : pairs) {
      const Key& a = *keys[p.first];
      const Key& b = *keys[p.second];
      auto& rank = candidates[s == &failing ? std::pair(a, b) : std::pair(b, a)];
      rank = std::max(rank, p.second);
    }
  }
  const std::pair<Key, Key>* best = nullptr;
  double best_score = 0;
  Cause cause, tried;
  for (const auto& candidate : candidates) {
    const auto& pair = candidate.first;
    const size_t rank = candidate.second;
    if (!came_first(failing, pair.first, pair.second)) continue;
    const double s = score([&](const Sample& sample) { return came_first(sample, pair.first, pair.second); }, &tried) +
                     1e-6 * static_cast<double>(rank) / static_cast<double>(failing.trace.events().size() + 1);
    if (s <= best_score) continue;
    best_score = s;
    best = &pair;
    cause = tried;
  }
  if (best == nullptr || best_score < kConvincing) return std::nullopt;
  auto event_of = [&](const Key& key) {
    const auto found = failing.at.find(key);
    return CauseEvent{key.thread, key.op, key.object, key.site, found == failing.at.end() ? kNoDifference : found->second};
  };
  cause.kind = CauseKind::kOrder;
  cause.first = event_of(best->first);
  cause.second = event_of(best->second);
  cause.other = cause.second.thread;
  return cause;
}

}  // namespace heddle::simplify
