#include "explore.h"

#include <cstring>
#include <unordered_map>

#include "machine.h"

namespace fuzz {

namespace {

struct StateHash {
  size_t operator()(const State& s) const {
    uint64_t hash = 1469598103934665603U;
    const auto* bytes = reinterpret_cast<const unsigned char*>(&s);
    for (size_t i = 0; i < sizeof s; ++i) hash = (hash ^ bytes[i]) * 1099511628211U;
    return hash;
  }
};
struct StateEqual {
  bool operator()(const State& a, const State& b) const { return memcmp(&a, &b, sizeof a) == 0; }
};

struct Move {
  int thread;
  int cost;   // preemptions
  int early;  // time-outs before their time
};

class Explorer {
 public:
  Explorer(const Program& program, const Limits& limits)
      : machine_(program, limits.points), limits_(limits), threads_(static_cast<int>(program.threads.size())) {}

  Truth run() {
    const State first = machine_.first();
    truth_.complete = true;
    levels_.resize(1);
    reach(first, 0);
    for (size_t cost = 0; cost < levels_.size() && truth_.complete; ++cost) {
      while (!levels_[cost].empty() && truth_.complete) {
        const State s = levels_[cost].back();
        levels_[cost].pop_back();
        if (least_.at(s) == static_cast<int>(cost)) visit(s, static_cast<int>(cost));
      }
    }
    truth_.states = least_.size();
    if (truth_.complete) {
      const Counts counts = count(first);
      truth_.schedules.assign(counts.begin(), counts.end());
    }
    return truth_;
  }

 private:
  using Counts = std::array<double, kCounted + 1>;

  void reach(const State& s, int cost) {
    const auto [it, fresh] = least_.emplace(s, cost);
    if (!fresh && it->second <= cost) return;
    it->second = cost;
    if (levels_.size() <= static_cast<size_t>(cost)) levels_.resize(static_cast<size_t>(cost) + 1);
    levels_[static_cast<size_t>(cost)].push_back(s);
    if (least_.size() > limits_.states) truth_.complete = false;
  }

  std::vector<Move> moves(const State& s) const {
    std::vector<Move> all;
    int earliest = -1;
    bool anybody = false;
    for (int t = 0; t < threads_; ++t) {
      const Can can = machine_.can(s, t);
      anybody = anybody || can == Can::kYes;
      if (can == Can::kByTimeout && (earliest < 0 || machine_.deadline(s, t) < machine_.deadline(s, earliest))) earliest = t;
    }
    // To leave a thread that could have gone on, and had not given way, is a preemption.
    const bool costs = s.current >= 0 && s.gave_way == 0 && machine_.can(s, s.current) == Can::kYes;
    for (int t = 0; t < threads_; ++t) {
      const Can can = machine_.can(s, t);
      if (can == Can::kNo) continue;
      const bool early = can == Can::kByTimeout && (anybody || t != earliest);
      if (early && s.early >= limits_.early) continue;
      all.push_back({t, costs && t != s.current ? 1 : 0, early ? 1 : 0});
    }
    return all;
  }

  // Calls end(failure or "", state) or go(next state, cost) for all that can happen next.
  template <typename End, typename Go>
  void follow(const State& s, const End& end, const Go& go) const {
    const std::vector<Move> all = moves(s);
    if (all.empty()) return end(machine_.deadlock(s), s, 0);
    for (const Move& move : all) {
      for (Machine::Result& r : machine_.step(s, move.thread)) {
        r.state.early = static_cast<Word>(r.state.early + move.early);
        if (!r.failure.empty() || r.over) {
          end(r.failure, r.state, move.cost);
        } else if (machine_.closes_cycle(r.state, move.thread)) {
          end(machine_.deadlock(r.state), r.state, move.cost);
        } else {
          go(r.state, move.cost);
        }
      }
    }
  }

  void visit(const State& s, int cost) {
    follow(
        s,
        [&](const std::string& failure, const State& last, int more) {
          auto& found = failure.empty() ? truth_.outcomes : truth_.failures;
          const auto [it, fresh] = found.emplace(failure.empty() ? machine_.outcome(last) : failure, cost + more);
          if (!fresh && it->second > cost + more) it->second = cost + more;
        },
        [&](const State& next, int more) { reach(next, cost + more); });
  }

  const Counts& count(const State& s) {
    const auto known = counts_.find(s);
    if (known != counts_.end()) return known->second;
    Counts sum{};
    const auto add = [&](const Counts& counts, int more) {
      for (size_t i = static_cast<size_t>(more); i < sum.size(); ++i) sum[i] += counts[i - static_cast<size_t>(more)];
    };
    follow(
        s, [&](const std::string&, const State&, int more) { add(Counts{1}, more); },
        [&](const State& next, int more) { add(count(next), more); });
    return counts_.emplace(s, sum).first->second;
  }

  Machine machine_;
  Limits limits_;
  int threads_;
  Truth truth_;
  std::unordered_map<State, int, StateHash, StateEqual> least_;
  std::vector<std::vector<State>> levels_;
  std::unordered_map<State, Counts, StateHash, StateEqual> counts_;
};

}  // namespace

int Truth::fewest() const {
  int least = -1;
  for (const auto& [failure, cost] : failures) least = least < 0 || cost < least ? cost : least;
  return least;
}

Truth explore(const Program& program, const Limits& limits) { return Explorer(program, limits).run(); }

}  // namespace fuzz
