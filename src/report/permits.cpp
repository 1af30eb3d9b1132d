#include "report/permits.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace heddle::report {

namespace {

class PermitDoctor {
 public:
  explicit PermitDoctor(Case& c) : c_(c), d_(c.d), trace_(c.trace), threads_(c.trace.threads()) {}

  void go() {
    const auto at =
        std::find_if(d_.waits.begin(), d_.waits.end(), [](const WaitEdge& w) { return row(w.op).family == Family::kSemaphores; });
    if (at == d_.waits.end() || permits_in_circle()) return;
    d_.subject = name(*at);
    const Permits permits = permits_of(at->object);
    for (uint32_t t = 0; t < threads_.size(); ++t) {
      if (permits.balance[t] <= 0 || threads_[t].state != ThreadState::kFinished) continue;
      d_.fix = fmt::format("{} took {} at {} and ended without posting it: post it on every path, or correct the number of permits.",
                           c_.thread(t), c_.quoted(d_.subject), c_.place(permits.took[t]));
      c_.lines.event(permits.took[t], "takes it here and does not post it");
      return;
    }
    d_.fix = fmt::format("{} is posted {} time{} in this run, and every thread that could post it for the wait at {} waits or has ended",
                         c_.quoted(d_.subject), permits.posts, permits.posts == 1 ? "" : "s", at->at);
    for (size_t i = 0; c_.passing != nullptr && i < c_.passing->events().size(); ++i) {
      const Event& e = c_.passing->events()[i];
      const uint32_t who = trace_.thread_index(c_.passing->thread_id(e));
      if (e.op != Op::kSemPost || e.object != at->object || who >= threads_.size() || threads_[who].state != ThreadState::kBlocked)
        continue;
      d_.fix +=
          fmt::format(": where it passes {} posts it at {}; here it waits at {}", c_.thread(who), c_.names.place(e.site), edge_place(who));
      break;
    }
    d_.fix += ". Post it once for each wait, before waiting for anything else.";
  }

 private:
  std::string name(const WaitEdge& w) { return c_.names.object(w.object, w.op); }
  std::string edge_place(uint32_t thread) const {
    const auto at = std::find_if(d_.waits.begin(), d_.waits.end(), [&](const WaitEdge& w) { return w.thread == thread; });
    return at == d_.waits.end() ? "?" : at->at;
  }

  // How many permits each thread took and did not give back, and where it took the last.
  struct Permits {
    std::vector<int> balance;
    std::vector<size_t> took;
    size_t posts = 0;
  };
  Permits permits_of(ObjectId semaphore) const {
    Permits p{std::vector<int>(threads_.size()), std::vector<size_t>(threads_.size(), kNoDifference)};
    for (size_t i = 0; i < trace_.events().size(); ++i) {
      const Event& e = trace_.events()[i];
      if (e.object != semaphore || (e.flags & (kFailed | kTimedOut)) != 0) continue;
      if (e.op == Op::kSemPost) --p.balance[e.thread], ++p.posts;
      if (e.op == Op::kSemWait || e.op == Op::kSemTryWait || e.op == Op::kSemTimedWait) ++p.balance[e.thread], p.took[e.thread] = i;
    }
    return p;
  }
  // Who takes a permit also posts it: a semaphore that is used as a lock, not as a message to another thread.
  static bool used_as_lock(const Trace& run, ObjectId semaphore) {
    std::set<uint32_t> took;
    size_t given_back = 0;
    for (const Event& e : run.events()) {
      if (e.object != semaphore || (e.flags & (kFailed | kTimedOut)) != 0) continue;
      if (e.op == Op::kSemWait || e.op == Op::kSemTryWait || e.op == Op::kSemTimedWait) took.insert(e.thread);
      if (e.op == Op::kSemPost && took.erase(e.thread) == 0) return false;
      given_back += e.op == Op::kSemPost;
    }
    return given_back > 0;
  }

  // Each has a permit that the next one waits for.
  bool permits_in_circle() {
    std::vector<std::pair<const WaitEdge*, size_t>> round;  // who waits, and where the next took it
    for (const WaitEdge& w : d_.waits) {
      if (row(w.op).family != Family::kSemaphores || c_.passing == nullptr || !used_as_lock(*c_.passing, w.object)) continue;
      round = follow(w);
      if (!round.empty()) break;
    }
    if (round.empty()) return false;
    std::string ways;
    for (size_t i = 0; i < round.size(); ++i) {
      // What it took that the one before it in the circle waits for.
      const auto& [before, took] = round[(i + round.size() - 1) % round.size()];
      const WaitEdge& w = *round[i].first;
      ways += fmt::format("{}{} takes {} at {} and then {} at {}", ways.empty() ? "" : ", ", c_.thread(w.thread), name(*before),
                          c_.place(took), name(w), w.at);
      c_.lines.event(took, "took it here");
    }
    d_.fix = fmt::format("Take these permits in one order everywhere, or all at once: {}.", ways);
    return true;
  }
  std::vector<std::pair<const WaitEdge*, size_t>> follow(const WaitEdge& start) const {
    std::vector<std::pair<const WaitEdge*, size_t>> way;
    const WaitEdge* at = &start;
    while (way.size() <= d_.waits.size()) {
      const Permits permits = permits_of(at->object);
      const WaitEdge* next = nullptr;
      for (const WaitEdge& w : d_.waits) {
        if (&w == at || row(w.op).family != Family::kSemaphores || permits.balance[w.thread] <= 0) continue;
        next = &w;
        break;
      }
      if (next == nullptr) return {};
      way.emplace_back(at, permits.took[next->thread]);
      if (next == &start) return way;
      at = next;
    }
    return {};
  }

  Case& c_;
  Diagnosis& d_;
  const Trace& trace_;
  const std::span<const Thread> threads_;
};

}  // namespace

void permits(Case& c) { PermitDoctor(c).go(); }

}  // namespace heddle::report
