#include "simplify/thread_graph.h"

#include <deque>
#include <set>
#include <unordered_map>

#include "simplify/iterations.h"

namespace heddle::simplify {

void ThreadGraph::add(uint32_t from, uint32_t to, DependenceKind kind) {
  if (from != to) edges_[{from, to}] |= kind;
}

std::vector<bool> ThreadGraph::relevant(const std::vector<uint32_t>& threads, size_t count, uint8_t kinds) const {
  std::vector<bool> in(count);
  std::deque<uint32_t> todo(threads.begin(), threads.end());
  while (!todo.empty()) {
    const uint32_t at = todo.front();
    todo.pop_front();
    if (at >= count || in[at]) continue;
    in[at] = true;
    for (const auto& [pair, why] : edges_) {
      if (pair.second == at && (why & kinds) != 0) todo.push_back(pair.first);
    }
  }
  return in;
}

namespace {

// What has been given to an object and not been taken yet, and by whom.
class Edges {
 public:
  explicit Edges(ThreadGraph& graph) : graph_(graph) {}

  void step(const Event& e) {
    switch (row(e.op).family) {
      case Family::kThreads: of_threads(e); return;
      case Family::kSignals: of_signals(e); return;
      case Family::kSemaphores: of_semaphores(e); return;
      case Family::kConditions:
      case Family::kFutexes: of_wakers(e); return;
      case Family::kBarriers:
        if (e.op == Op::kBarrierArrive) wakers_[e.object].insert(e.thread);
        if (e.op == Op::kBarrierLeave) from_all(wakers_[e.object], e.thread, kByEvent);
        return;
      case Family::kDescriptors:
        if (has(e.op, kReleases)) writers_.insert(e.thread);
        if (has(e.op, kAcquires)) from_all(writers_, e.thread, kByFile);
        return;
      case Family::kMutexes:
      case Family::kRwlocks:
      case Family::kOnces:
      case Family::kTime:
      case Family::kProcesses:
      case Family::kMemory:
      case Family::kAtomics:
      case Family::kCode: return;
    }
  }

 private:
  void from_all(const std::set<uint32_t>& threads, uint32_t to, DependenceKind kind) {
    for (uint32_t from : threads) graph_.add(from, to, kind);
  }

  void of_threads(const Event& e) {
    if (e.op == Op::kThreadExit) ended_[e.object] = e.thread;
    if (e.op == Op::kThreadCancel || e.op == Op::kThreadKill) senders_.insert(e.thread);
    if (e.op != Op::kThreadJoin && e.op != Op::kThreadTimedJoin && e.op != Op::kThreadTryJoin) return;
    if (const auto at = ended_.find(e.object); at != ended_.end()) graph_.add(at->second, e.thread, kByJoining);
  }

  void of_signals(const Event& e) {
    if (e.op == Op::kSignalSend) senders_.insert(e.thread);
    if (has(e.op, kAcquires)) from_all(senders_, e.thread, kByEvent);
  }

  // First given, first taken: what was there at the beginning is not known, so that a taker may be given one thread too many.
  void of_semaphores(const Event& e) {
    std::deque<uint32_t>& posts = posts_[e.object];
    if (e.op == Op::kSemPost) posts.push_back(e.thread);
    if (e.op == Op::kSemPost || posts.empty() || (e.flags & (kFailed | kTimedOut)) != 0) return;
    graph_.add(posts.front(), e.thread, kByEvent);
    posts.pop_front();
  }

  void of_wakers(const Event& e) {
    const bool wakes = e.op == Op::kCondSignal || e.op == Op::kCondBroadcast || e.op == Op::kFutexWake || e.op == Op::kFutexRequeue;
    if (wakes) wakers_[e.object] = {e.thread};
    const bool woken = has(e.op, kAcquires) && (e.flags & (kTimedOut | kSpurious | kFailed)) == 0;
    if (woken) from_all(wakers_[e.object], e.thread, kByEvent);
  }

  ThreadGraph& graph_;
  std::unordered_map<ObjectId, std::set<uint32_t>> wakers_;
  std::unordered_map<ObjectId, std::deque<uint32_t>> posts_;
  std::unordered_map<ObjectId, uint32_t> ended_;
  std::set<uint32_t> writers_, senders_;
};

}  // namespace

void add_event_edges(const Trace& trace, ThreadGraph& graph) {
  for (uint32_t t = 1; t < trace.threads().size(); ++t) graph.add(trace.threads()[t].parent, t, kByEvent);
  Edges edges(graph);
  for (const Event& e : trace.events()) edges.step(e);
}

Plan without_threads(const Trace& trace, const std::vector<bool>& dropped, const Limits& limits) {
  Removal removal;  // of the roots: their descendants are not born
  std::vector<bool> gone = dropped;
  for (uint32_t t = 1; t < gone.size(); ++t) {
    const bool unborn = gone[trace.threads()[t].parent];
    if (gone[t] && !unborn) removal.threads.push_back(trace.threads()[t].id);
    gone[t] = gone[t] || unborn;
  }
  return projected(trace, removal, limits);
}

}  // namespace heddle::simplify
