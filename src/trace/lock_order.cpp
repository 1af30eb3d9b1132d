#include "trace/lock_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "symbols/object_words.h"
#include "trace/happens_before.h"
#include "trace/locks.h"

namespace heddle::trace {

namespace {

constexpr size_t kMostEdges = 400;  // of one run
constexpr size_t kLongestCircle = 4;

// One request with a lock held, in one run.
struct LockRequest {
  size_t event;  // that asked
  uint32_t thread;
  ObjectId held, wanted;
  size_t held_event;
  std::set<ObjectId> others;  // also held: gates
};

// Each thread, pair of locks and place once.
std::vector<LockRequest> lock_requests(const Trace& trace) {
  const auto events = trace.events();
  HeldLocks locks(trace.threads().size());
  std::vector<LockRequest> requests;
  std::set<std::tuple<uint32_t, ObjectId, ObjectId, SiteId>> known;
  for (size_t i = 0; i < events.size() && requests.size() < kMostEdges; ++i) {
    const Event& e = events[i];
    // A try does not wait, so that it closes no circle.
    if (takes_lock(e) && has(e.op, kBlocks) && !has(e.op, kTimed)) {
      for (const HeldLock& held : locks.held(e.thread)) {
        if (held.object == e.object || !known.emplace(e.thread, held.object, e.object, e.site).second) continue;
        LockRequest r{i, e.thread, held.object, e.object, held.event, {}};
        for (const HeldLock& other : locks.held(e.thread)) {
          if (other.object != held.object && !other.shared) r.others.insert(other.object);
        }
        requests.push_back(std::move(r));
      }
    }
    locks.step(i, e);
  }
  return requests;
}

}  // namespace

void LockOrderLog::add(const Trace& trace) {
  const auto events = trace.events();
  const std::vector<LockRequest> requests = lock_requests(trace);
  if (requests.size() < 2) return;
  for (const Thread& t : trace.threads()) threads_[t.id] = t.path;
  for (const ObjectRow& row : trace.objects()) rows_[row.id] = row;
  const HappensBefore order(trace, Edges::kMust);
  std::set<std::vector<Edge>> here;
  std::vector<size_t> way;
  auto judge = [&] {
    Found f;
    f.closable = true;
    for (size_t a = 0; a < way.size(); ++a) {
      for (size_t b = 0; b < way.size(); ++b) {
        const LockRequest &x = requests[way[a]], &y = requests[way[b]];
        if (a == b) continue;
        if (order.before(x.event, y.held_event)) f.closable = false, f.ordered = true;
        for (ObjectId gate : x.others) {
          if (y.others.contains(gate)) f.closable = false, f.gate = gate;
        }
      }
    }
    std::vector<Edge> circle;
    for (size_t i : way) {
      const LockRequest& r = requests[i];
      circle.push_back({trace.threads()[r.thread].id, r.held, r.wanted, events[r.held_event].site, events[r.event].site});
    }
    std::rotate(circle.begin(), std::min_element(circle.begin(), circle.end()), circle.end());
    Found& known_one = found_[circle];
    if (here.insert(circle).second) ++known_one.runs;
    known_one.closable |= f.closable;
    known_one.gate = f.gate;
    known_one.ordered = f.ordered;
  };
  auto extend = [&](auto&& self) -> void {
    const LockRequest& last = requests[way.back()];
    if (way.size() > 1 && last.wanted == requests[way.front()].held) judge();
    if (way.size() >= kLongestCircle) return;
    for (size_t i = way.front() + 1; i < requests.size(); ++i) {
      const bool used = std::any_of(way.begin(), way.end(), [&](size_t w) {
        return requests[w].thread == requests[i].thread || requests[w].held == requests[i].held;
      });
      if (used || requests[i].held != last.wanted) continue;
      way.push_back(i);
      self(self);
      way.pop_back();
    }
  };
  for (size_t i = 0; i < requests.size(); ++i) {
    way.assign(1, i);
    extend(extend);
  }
}

std::vector<Inversion> LockOrderLog::report(const Symbols& symbols) const {
  std::vector<Inversion> out;
  auto name = [&](ObjectId id) {
    const auto row = rows_.find(id);
    return row == rows_.end() ? std::string("a lock") : object_words(symbols, row->second);
  };
  for (const auto& [circle, f] : found_) {
    Inversion inversion;
    inversion.runs = f.runs;
    inversion.closable = f.closable;
    if (!f.closable && f.gate != kNoObject) inversion.why_not = "the threads hold " + name(f.gate) + " as well, which keeps them apart";
    if (!f.closable && f.gate == kNoObject)
      inversion.why_not = "one of the threads begins or goes on only after the other is done with them";
    for (const Edge& e : circle) {
      const auto thread = threads_.find(e.thread);
      inversion.steps.push_back({thread == threads_.end() ? "?" : thread->second, name(e.held), describe_site(symbols, e.held_site),
                                 name(e.wanted), describe_site(symbols, e.wanted_site)});
    }
    out.push_back(std::move(inversion));
  }
  std::stable_sort(out.begin(), out.end(), [](const Inversion& a, const Inversion& b) { return a.closable && !b.closable; });
  return out;
}

}  // namespace heddle::trace
