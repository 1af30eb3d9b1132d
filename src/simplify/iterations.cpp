#include "simplify/iterations.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "simplify/schedule.h"

namespace heddle::simplify {

namespace {

bool is_about_threads(Op op) { return row(op).family == Family::kThreads && op != Op::kThreadStart && op != Op::kThreadExit; }

// Where iterations end: their mark says so, or the next iteration of the same loop. Of the others only an end that is too late is known.
class LoopReader {
 public:
  explicit LoopReader(const Trace& trace) : trace_(trace), events_(trace.threads().size()), open_(trace.threads().size()) {
    for (size_t i = 0; i < trace.events().size(); ++i) events_[trace.events()[i].thread].push_back(i);
  }

  std::vector<LoopUse> read() {
    for (const IterationRow& r : trace_.data().iterations) take(r);
    for (uint32_t t = 0; t < open_.size(); ++t) {
      while (!open_[t].empty()) end_open(t);
    }
    for (Group& g : groups_) mend_ends(g);
    return result();
  }

 private:
  struct Group {
    uint32_t thread;
    LoopId loop;
    std::vector<IterationPart> parts;
    std::vector<bool> exact;
  };
  struct Open {
    size_t group, part;
  };

  size_t group_of(uint32_t thread, LoopId loop) {
    const auto [at, is_new] = index_.try_emplace({thread, loop}, groups_.size());
    if (is_new) groups_.push_back({thread, loop, {}, {}});
    return at->second;
  }

  uint64_t last_operation(uint32_t thread) const {
    if (events_[thread].empty()) return 0;
    const Event& last = trace_.events()[events_[thread].back()];
    return last.op == Op::kThreadExit ? last.number - 1 : last.number;
  }

  void take(const IterationRow& r) {
    const size_t group = group_of(r.thread, r.loop);
    const auto is_same = [&](const Open& o) { return o.group == group; };
    std::vector<Open>& open = open_[r.thread];
    if (std::any_of(open.begin(), open.end(), is_same)) {
      while (open.back().group != group) close(r.thread, r.after, false);
      close(r.thread, r.after, true);
    }
    if (r.count == 0) return;
    Group& g = groups_[group];
    if (r.count > 1) add(g, {r.number, r.number + r.count - 2, r.after + 1ull, r.after, false}, true);
    add(g, {r.number + r.count - 1, r.number + r.count - 1, r.after + 1ull, r.after, false}, false);
    open.push_back({group, g.parts.size() - 1});
  }

  static void add(Group& g, const IterationPart& part, bool exact) {
    g.parts.push_back(part);
    g.exact.push_back(exact);
  }

  void close(uint32_t thread, uint64_t at, bool exact) {
    const Open o = open_[thread].back();
    open_[thread].pop_back();
    IterationPart& part = groups_[o.group].parts[o.part];
    part.last_operation = std::max(std::min<uint64_t>(at, events_[thread].size()), part.first_operation - 1);
    groups_[o.group].exact[o.part] = exact;
  }

  // At the end of the run. One that the thread has only come to is none.
  void end_open(uint32_t thread) {
    Group& g = groups_[open_[thread].back().group];
    close(thread, last_operation(thread), false);
    if (g.parts.back().operations() > 0) return;
    g.parts.pop_back();
    g.exact.pop_back();
  }

  const Event& event(uint32_t thread, uint64_t number) const { return trace_.events()[events_[thread][number - 1]]; }

  // The last iteration of a loop in C has no mark at its end: it is taken to go on to the last operation in code that others execute, too.
  void mend_ends(Group& g) {
    std::unordered_set<SiteId>& sites = sites_of(g.loop);
    for (size_t i = 0; i < g.parts.size(); ++i) {
      IterationPart& p = g.parts[i];
      if (!g.exact[i]) {
        uint64_t last = p.last_operation;
        while (last >= p.first_operation && !sites.contains(event(g.thread, last).site)) --last;
        if (last >= p.first_operation) p.last_operation = last;
      }
      for (uint64_t n = p.first_operation; n <= p.last_operation; ++n) p.about_threads |= is_about_threads(event(g.thread, n).op);
    }
  }

  std::unordered_set<SiteId>& sites_of(LoopId loop) {
    const auto [at, is_new] = sites_.try_emplace(loop);
    if (!is_new) return at->second;
    for (const Group& g : groups_) {
      if (g.loop != loop) continue;
      for (size_t i = 0; i < g.parts.size(); ++i) {
        if (!g.exact[i]) continue;
        for (uint64_t n = g.parts[i].first_operation; n <= g.parts[i].last_operation; ++n) at->second.insert(event(g.thread, n).site);
      }
    }
    return at->second;
  }

  std::vector<LoopUse> result() {
    std::unordered_map<LoopId, std::string> places;
    for (const Loop& loop : trace_.data().loops) places[loop.id] = loop.place;
    std::vector<LoopUse> uses;
    for (Group& g : groups_) {
      LoopUse use{trace_.threads()[g.thread].id, g.loop, places[g.loop], std::move(g.parts)};
      if (use.operations() > 0) uses.push_back(std::move(use));
    }
    std::stable_sort(uses.begin(), uses.end(), [](const LoopUse& a, const LoopUse& b) { return a.operations() > b.operations(); });
    return uses;
  }

  const Trace& trace_;
  std::vector<std::vector<size_t>> events_;  // by thread, in order of their numbers
  std::vector<std::vector<Open>> open_;      // by thread, the innermost last
  std::vector<Group> groups_;
  std::map<std::pair<uint32_t, LoopId>, size_t> index_;
  std::unordered_map<LoopId, std::unordered_set<SiteId>> sites_;  // of operations in iterations whose end is known
};

// Which own operations of a thread are gone, and what number the others have then.
class Renumbering {
 public:
  explicit Renumbering(const Removal& removal) {
    for (const auto& [use, parts] : removal.loops) {
      for (size_t i : parts) {
        const IterationPart& p = use->parts[i];
        if (p.operations() > 0) gone_[use->thread].push_back({p.first_operation, p.last_operation, 0});
      }
    }
    for (const Removal::Gone& g : removal.gone) gone_[g.thread].push_back({g.first, g.last, 0});
    for (auto& [thread, parts] : gone_) {
      std::sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.first < b.first; });
      uint64_t before = 0;
      for (Part& p : parts) p.before = before += p.last + 1 - p.first;
    }
  }
  // 0: it is gone.
  uint64_t number(ThreadId thread, uint64_t n) const {
    const auto parts = gone_.find(thread);
    if (parts == gone_.end()) return n;
    const auto after =
        std::upper_bound(parts->second.begin(), parts->second.end(), n, [](uint64_t m, const Part& p) { return m < p.first; });
    if (after == parts->second.begin()) return n;
    const Part& last = *std::prev(after);
    return n <= last.last ? 0 : n - last.before;
  }

 private:
  struct Part {
    uint64_t first, last;
    uint64_t before;  // how many are gone up to its end
  };
  std::unordered_map<ThreadId, std::vector<Part>> gone_;
};

}  // namespace

uint64_t LoopUse::iterations() const {
  uint64_t all = 0;
  for (const IterationPart& p : parts) all += p.last + 1 - p.first;
  return all;
}

uint64_t LoopUse::operations() const {
  uint64_t all = 0;
  for (const IterationPart& p : parts) all += p.operations();
  return all;
}

std::vector<LoopUse> loop_uses(const Trace& trace) {
  if (trace.data().iterations.empty()) return {};
  return LoopReader(trace).read();
}

std::vector<size_t> outermost(const std::vector<LoopUse>& uses) {
  // Those with the most operations come first, so that what lies around a loop has been taken.
  std::unordered_map<ThreadId, std::vector<std::pair<uint64_t, uint64_t>>> taken;
  std::vector<size_t> out;
  for (size_t u = 0; u < uses.size(); ++u) {
    auto& around = taken[uses[u].thread];
    const auto meets = [&](const IterationPart& p) {
      return std::any_of(around.begin(), around.end(),
                         [&](const auto& range) { return p.first_operation <= range.second && range.first <= p.last_operation; });
    };
    if (std::any_of(uses[u].parts.begin(), uses[u].parts.end(), meets)) continue;
    out.push_back(u);
    uint64_t first = UINT64_MAX, last = 0;
    for (const IterationPart& p : uses[u].parts) {
      if (p.operations() == 0) continue;
      first = std::min(first, p.first_operation);
      last = std::max(last, p.last_operation);
    }
    around.emplace_back(first, last);
  }
  return out;
}

Plan projected(const Trace& trace, const Removal& removal, const Limits& limits) {
  std::vector<bool> gone(trace.threads().size());
  for (uint32_t t = 1; t < gone.size(); ++t) {
    gone[t] = gone[trace.threads()[t].parent] ||
              std::find(removal.threads.begin(), removal.threads.end(), trace.threads()[t].id) != removal.threads.end();
  }
  const Renumbering renumbered(removal);
  Schedule schedule;
  for (const TraceSlice& s : trace.slices()) {
    if (gone[s.thread]) continue;
    const ThreadId thread = trace.threads()[s.thread].id;
    Interval interval{thread, 1, 0};
    for (size_t i = s.begin; i < s.end; ++i) {
      const uint64_t n = renumbered.number(thread, trace.events()[i].number);
      if (n == 0) continue;
      if (interval.last == 0) interval.first = n;
      interval.last = n;
    }
    if (interval.last != 0) schedule.push_back(interval);
  }
  Plan plan = plan_for(merged(std::move(schedule)), trace, limits);
  for (Choice& c : plan.choices) c.number = renumbered.number(c.thread, c.number);
  std::erase_if(plan.choices, [](const Choice& c) { return c.number == 0; });
  plan.sort_choices();
  remove_from(plan, removal);
  return plan;
}

void remove_from(Plan& plan, const Removal& removal) {
  for (ThreadId t : removal.threads) plan.remove_thread(t);
  plan.skips.insert(plan.skips.end(), removal.statements.begin(), removal.statements.end());
  for (const auto& [use, parts] : removal.loops) {
    for (size_t i = 0; i < parts.size();) {
      const uint64_t first = use->parts[parts[i]].first;
      uint64_t last = use->parts[parts[i]].last;
      for (++i; i < parts.size() && use->parts[parts[i]].first == last + 1; ++i) last = use->parts[parts[i]].last;
      plan.remove_iterations(use->thread, use->loop, first, last);
    }
  }
}

}  // namespace heddle::simplify
