#include "search/lock_cycles.h"

#include <algorithm>
#include <set>

#include "trace/happens_before.h"
#include "trace/locks.h"

namespace heddle {

namespace {

constexpr size_t kMostSteps = 50'000;
constexpr size_t kLongest = 12;

std::vector<LockEdge> lock_edges(const Trace& trace) {
  std::vector<LockEdge> edges;
  std::set<std::tuple<uint32_t, ObjectId, ObjectId>> known;
  HeldLocks locks(trace.threads().size());
  for (size_t i = 0; i < trace.events().size(); ++i) {
    const Event& e = trace.events()[i];
    if (is_lock_request(e.op) && has(e.op, kBlocks)) {
      const std::vector<HeldLock>& held = locks.held(e.thread);
      for (const HeldLock& h : held) {
        if (h.object == e.object || !known.insert({e.thread, h.object, e.object}).second) continue;
        LockEdge edge{e.thread, h.object, e.object, h.event, i, {}};
        for (const HeldLock& other : held) edge.all_held.push_back(other.object);
        edges.push_back(std::move(edge));
      }
    }
    locks.step(i, e);
  }
  return edges;
}

bool share_a_lock(const LockEdge& a, const LockEdge& b) {
  return std::any_of(a.all_held.begin(), a.all_held.end(),
                     [&](ObjectId o) { return std::find(b.all_held.begin(), b.all_held.end(), o) != b.all_held.end(); });
}

class Rings {
 public:
  Rings(const Trace& trace, size_t most) : edges_(lock_edges(trace)), must_(trace, Edges::kMust), most_(most) {}

  std::vector<std::vector<LockEdge>> all() {
    for (size_t length = 2; length <= kLongest && rings_.size() < most_ && steps_ < kMostSteps; ++length) {
      for (size_t first = 0; first < edges_.size(); ++first) {
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
    for (size_t i = path_.front() + 1; i < edges_.size(); ++i) {
      if (edges_[i].held != edges_[path_.back()].wanted) continue;
      const bool fits = std::all_of(path_.begin(), path_.end(), [&](size_t k) {
        return edges_[k].thread != edges_[i].thread && !share_a_lock(edges_[k], edges_[i]) &&
               must_.concurrent(edges_[k].request, edges_[i].request);
      });
      if (!fits) continue;
      path_.push_back(i);
      extend(length);
      path_.pop_back();
    }
  }

  std::vector<LockEdge> edges_;
  HappensBefore must_;
  size_t most_;
  size_t steps_ = 0;
  std::vector<size_t> path_;
  std::vector<std::vector<LockEdge>> rings_;
};

}  // namespace

std::vector<std::vector<LockEdge>> lock_cycles(const Trace& trace, size_t most) { return Rings(trace, most).all(); }

}  // namespace heddle
