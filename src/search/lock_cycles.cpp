#include "search/lock_cycles.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "trace/happens_before.h"
#include "trace/known.h"
#include "trace/locks.h"

namespace heddle::search {

namespace {

constexpr size_t kMostSteps = 500'000;
constexpr size_t kLongest = 12;

// Each request under n locks is n edges: a thousand nested locks make half a million. What is looked for is a hint to the search, so it may
// end here.
constexpr size_t kMostEdges = 200'000;

// What can be on a ring. A lock that nobody asks for while holding another, or that nobody holds while asking, is on none; without it the
// same is true of further ones. Where all threads take their locks in one order nothing is left.
std::vector<LockEdge> on_rings(std::vector<LockEdge> edges) {
  std::map<ObjectId, std::vector<size_t>> out, in;
  for (size_t i = 0; i < edges.size(); ++i) {
    out[edges[i].held].push_back(i);
    in[edges[i].wanted].push_back(i);
  }
  std::map<ObjectId, size_t> outs, ins;
  std::vector<ObjectId> dead;
  for (const auto& [lock, list] : out) {
    outs[lock] = list.size();
    if (in.count(lock) == 0) dead.push_back(lock);
  }
  for (const auto& [lock, list] : in) {
    ins[lock] = list.size();
    if (out.count(lock) == 0) dead.push_back(lock);
  }
  std::vector<bool> gone(edges.size());
  while (!dead.empty()) {
    const ObjectId lock = dead.back();
    dead.pop_back();
    for (size_t i : out[lock]) {
      if (!gone[i] && --ins[edges[i].wanted] == 0) dead.push_back(edges[i].wanted);
      gone[i] = true;
    }
    for (size_t i : in[lock]) {
      if (!gone[i] && --outs[edges[i].held] == 0) dead.push_back(edges[i].held);
      gone[i] = true;
    }
  }
  std::vector<LockEdge> kept;
  for (size_t i = 0; i < edges.size(); ++i) {
    if (!gone[i]) kept.push_back(std::move(edges[i]));
  }
  return kept;
}

std::vector<LockEdge> lock_edges(const Trace& trace) {
  std::vector<LockEdge> edges;
  std::set<std::tuple<uint32_t, ObjectId, ObjectId>> known;
  HeldLocks locks(trace.threads().size());
  for (size_t i = 0; i < trace.events().size() && edges.size() < kMostEdges; ++i) {
    const Event& e = trace.events()[i];
    if (is_lock_request(e.op) && has(e.op, kBlocks)) {
      const std::vector<HeldLock>& held = locks.held(e.thread);
      std::shared_ptr<std::vector<ObjectId>> all_held;
      for (const HeldLock& h : held) {
        if (h.object == e.object || !known.insert({e.thread, h.object, e.object}).second) continue;
        if (!all_held) {
          all_held = std::make_shared<std::vector<ObjectId>>();
          for (const HeldLock& other : held) all_held->push_back(other.object);
          std::sort(all_held->begin(), all_held->end());
        }
        edges.push_back({e.thread, h.object, e.object, h.event, i, all_held});
      }
    }
    locks.step(i, e);
  }
  return on_rings(std::move(edges));
}

bool share_a_lock(const LockEdge& a, const LockEdge& b) {
  return std::any_of(a.all_held->begin(), a.all_held->end(),
                     [&](ObjectId o) { return std::binary_search(b.all_held->begin(), b.all_held->end(), o); });
}

class Rings {
 public:
  Rings(const Trace& trace, size_t most) : edges_(lock_edges(trace)), must_(order_of(trace, Edges::kMust)), most_(most) {
    for (size_t i = 0; i < edges_.size(); ++i) by_held_[edges_[i].held].push_back(i);
  }

  std::vector<std::vector<LockEdge>> all() {
    for (size_t length = 2; length <= kLongest && rings_.size() < most_ && steps_ < kMostSteps; ++length) {
      for (size_t first = 0; first < edges_.size() && steps_ < kMostSteps; ++first) {
        path_ = {first};
        extend(length);
      }
    }
    return std::move(rings_);
  }

 private:
  // A ring starts at its edge of least index, so that it is found once.
  void extend(size_t length) {
    if (rings_.size() >= most_ || ++steps_ > kMostSteps) return;
    if (path_.size() == length) {
      if (edges_[path_.back()].wanted != edges_[path_.front()].held) return;
      std::vector<LockEdge> ring;
      for (size_t i : path_) ring.push_back(edges_[i]);
      rings_.push_back(std::move(ring));
      return;
    }
    const auto next = by_held_.find(edges_[path_.back()].wanted);
    if (next == by_held_.end()) return;
    for (size_t i : next->second) {
      if (i <= path_.front()) continue;
      if (++steps_ > kMostSteps) return;
      const bool fits = std::all_of(path_.begin(), path_.end(), [&](size_t k) {
        return edges_[k].thread != edges_[i].thread && !share_a_lock(edges_[k], edges_[i]) &&
               must_->concurrent(edges_[k].request, edges_[i].request);
      });
      if (!fits) continue;
      path_.push_back(i);
      extend(length);
      path_.pop_back();
    }
  }

  std::vector<LockEdge> edges_;
  std::map<ObjectId, std::vector<size_t>> by_held_;
  std::shared_ptr<const HappensBefore> must_;
  size_t most_;
  size_t steps_ = 0;
  std::vector<size_t> path_;
  std::vector<std::vector<LockEdge>> rings_;
};

}  // namespace

std::vector<std::vector<LockEdge>> lock_cycles(const Trace& trace, size_t most) { return Rings(trace, most).all(); }

}  // namespace heddle::search
