#include "simplify/forecast.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "simplify/thread_steps.h"

namespace heddle::simplify {

namespace {

constexpr size_t kForecastWork = 300'000;  // events walked over
constexpr size_t kForecastWidth = 24;      // beginnings kept for each number of preemptions
constexpr size_t kMostCycles = 500;        // pairs of requests looked at
constexpr size_t kTriedCycles = 2;         // and searched for
constexpr size_t kMostForecasts = 4'000;   // orders that reach the bug: enough to choose from

// How far a guessed run is.
struct Guess {
  std::vector<uint32_t> position;  // of each thread, in its own events
  RunState now;
  std::vector<uint32_t> writer;   // of each place in memory: the last one
  std::vector<uint32_t> avoided;  // waits, as events
  uint32_t current = kNoIndex;
  size_t left = 0;  // needed events
  size_t steps = 0;
  size_t preemptions = 0;
  size_t switches = 0;
  size_t link = kNoInterval;  // its last interval
};

class Forecaster {
 public:
  explicit Forecaster(const Trace& trace)
      : trace_(trace),
        thread_steps_(trace),
        events_(thread_steps_.events),
        steps_(thread_steps_.steps),
        own_(thread_steps_.own),
        stops_(own_.size()),
        held_(own_.size()) {
    for (const Thread& t : trace.threads()) {
      if (t.state == ThreadState::kBlocked && t.pending != Op::kThreadJoin) waits_.insert(t.site);
    }
    mark_stops();
  }

  std::vector<RebuiltOrder> search() {
    const std::vector<size_t> bug = bug_events(trace_);
    if (trace_.outcome().kind != OutcomeKind::kDeadlock) {
      last_ = bug.back();
      look_for(bug);
    } else if (bug.size() == trace_.counts().threads) {
      // Without a cycle of locks it is a state in which nobody can go on: how far each has come then is open.
      everybody_ = true;
      look_for(bug);
    } else {
      look_for(bug);
      // Other threads may have been at the same places of the code, and be there sooner.
      for (const Cycle& cycle : cycles(bug)) look_for({cycle.first, cycle.second});
    }
    std::vector<RebuiltOrder> out;
    for (const Guess& end : ends_) out.push_back(forecast_of(end));
    return out;
  }

 private:
  using Cycle = std::pair<size_t, size_t>;  // the events after which two threads ask for each other's lock

  void look_for(const std::vector<size_t>& bug) {
    mark_needed(bug);
    const size_t preemptions = trace_.preemptions(), switches = trace_.switches();
    const size_t longest = preemptions == 0 ? switches : switches + switches / 4 + 2;
    walked_ = 0;
    const size_t enough = ends_.size() + kMostForecasts;
    std::vector<std::vector<Guess>> beams(1);
    beams[0].push_back(first());
    for (size_t level = 0; level <= longest && ends_.size() < enough && walked_ < kForecastWork; ++level) {
      std::vector<std::vector<Guess>> longer(preemptions + 1);
      for (const std::vector<Guess>& beam : beams) {
        for (const Guess& guess : beam) {
          for (uint32_t t = 0; t < own_.size(); ++t) extend(guess, t, longer);
        }
      }
      beams.clear();
      for (std::vector<Guess>& one : longer) beams.push_back(best_of(std::move(one)));
    }
  }

  // Pairs of requests that would make such a cycle, at the places where the trace has it: those with the least before them first.
  std::vector<Cycle> cycles(const std::vector<size_t>& bug) {
    struct Request {
      size_t after;  // event
      uint32_t thread, lock;
      SiteId site;
      std::vector<uint32_t> held;
    };
    if (bug.size() != 2) return {};
    std::set<SiteId> sites;
    for (size_t e : bug) sites.insert(trace_.threads()[events_[e].thread].site);
    std::vector<Request> requests;
    HeldLocks locks(own_.size());
    std::vector<size_t> last(own_.size(), kNoInterval);
    auto ask = [&](uint32_t t, Op op, ObjectId object, SiteId site) {
      if (!is_lock_request(op) || !sites.contains(site) || last[t] == kNoInterval || locks.held(t).empty()) return;
      Request r{last[t], t, thread_steps_.objects.index(object), site, {}};
      for (const HeldLock& h : locks.held(t)) r.held.push_back(thread_steps_.objects.index(h.object));
      requests.push_back(std::move(r));
    };
    for (size_t i = 0; i < events_.size(); ++i) {
      ask(events_[i].thread, events_[i].op, events_[i].object, events_[i].site);
      locks.step(i, events_[i]);
      last[events_[i].thread] = i;
    }
    for (uint32_t t = 0; t < own_.size(); ++t) {
      const Thread& thread = trace_.threads()[t];
      if (thread.state == ThreadState::kBlocked) ask(t, thread.pending, thread.object, thread.site);
    }
    auto holds = [](const Request& r, uint32_t lock) { return std::find(r.held.begin(), r.held.end(), lock) != r.held.end(); };
    std::vector<std::pair<size_t, Cycle>> found;
    for (size_t a = 0; a < requests.size(); ++a) {
      for (size_t b = a + 1; b < requests.size() && found.size() < kMostCycles; ++b) {
        const Request &x = requests[a], &y = requests[b];
        if (x.thread == y.thread || !holds(x, y.lock) || !holds(y, x.lock) || std::set{x.site, y.site} != sites) continue;
        mark_needed({x.after, y.after});
        found.push_back({first().left, {x.after, y.after}});
      }
    }
    std::sort(found.begin(), found.end());
    std::vector<Cycle> out;
    for (const auto& [left, cycle] : found) {
      if (out.size() < kTriedCycles && cycle != Cycle{bug[0], bug[1]}) out.push_back(cycle);
    }
    return out;
  }

  struct Link {
    Interval interval;
    size_t before;
  };

  void mark_needed(const std::vector<size_t>& bug) {
    needed_.assign(events_.size(), everybody_);
    goal_.assign(own_.size(), 0);
    held_.assign(own_.size(), false);
    if (trace_.outcome().kind == OutcomeKind::kDeadlock && !everybody_) {
      for (size_t e : bug) held_[events_[e].thread] = true;
    }
    if (!everybody_) {
      for (size_t e : bug) needed_[e] = true;
      std::vector<uint32_t> next(own_.size(), kNoIndex);
      for (size_t i = events_.size(); i-- > 0;) {
        const Step& s = steps_[i];
        if (next[events_[i].thread] != kNoIndex) needed_[i] = true;
        if (!needed_[i]) continue;
        next[events_[i].thread] = static_cast<uint32_t>(i);
        for (uint32_t p : {s.writer, s.waker, s.behind}) {
          if (p != kNoIndex) needed_[p] = true;
        }
        // A place whose first value was read is not to be written before: nothing is needed for that.
        if (events_[i].op == Op::kSemWait) {
          for (size_t k = i; k-- > 0;) {
            if (events_[k].op == Op::kSemPost && events_[k].object == events_[i].object) needed_[k] = true;
          }
        }
      }
    }
    for (uint32_t t = 0; t < own_.size(); ++t) {
      for (size_t p = 0; p < own_[t].size(); ++p) {
        if (needed_[own_[t][p]]) goal_[t] = static_cast<uint32_t>(p + 1);
      }
    }
  }

  // Where a thread may be stopped although it could go on: where it was stopped in the trace, and before it takes a lock for good, or one
  // under which it asks for another where the deadlock is.
  void mark_stops() {
    for (const TraceSlice& s : trace_.slices()) stops_[s.thread].insert(static_cast<uint32_t>(events_[s.end - 1].number));
    for (uint32_t t = 0; t < own_.size(); ++t) {
      std::unordered_set<uint32_t> given_back;
      for (size_t p = own_[t].size(); p-- > 0;) {
        const Step& s = steps_[own_[t][p]];
        if (s.gives_back) given_back.insert(s.lock);
        if (s.takes && given_back.insert(s.lock).second) stops_[t].insert(static_cast<uint32_t>(p));
      }
    }
    HeldLocks locks(own_.size());
    for (size_t i = 0; i < events_.size(); ++i) {
      const Event& e = events_[i];
      if (is_lock_request(e.op) && waits_.contains(e.site)) {
        for (const HeldLock& h : locks.held(e.thread)) stops_[e.thread].insert(static_cast<uint32_t>(events_[h.event].number - 1));
      }
      locks.step(i, e);
    }
  }

  Guess first() const {
    Guess g;
    g.position.assign(own_.size(), 0);
    g.now = thread_steps_.start;
    g.writer.assign(thread_steps_.places, kNoIndex);
    g.left = static_cast<size_t>(std::count(needed_.begin(), needed_.end(), true));
    return g;
  }

  bool done(const Guess& g, uint32_t event) const {
    return event == kNoIndex || g.position[events_[event].thread] >= events_[event].number;
  }

  // Could the thread go on? What it learns then may differ from the trace.
  bool ready(const Guess& g, uint32_t t) const {
    const size_t position = g.position[t];
    if (position >= own_[t].size()) {
      const Thread& thread = thread_steps_.threads[t];
      if (thread.state != ThreadState::kBlocked) return thread.state == ThreadState::kRunnable;
      return g.now.ready(thread.pending, thread_steps_.objects.asker(t, thread.pending, thread.object)) == Ready::kYes;
    }
    if (!g.now.threads[t].live) return false;
    const model::Happening& h = steps_[own_[t][position]].happening;
    switch (g.now.ready(h.op, {t, h.object})) {
      case Ready::kYes:
      case Ready::kUnknown: return true;
      case Ready::kTimeout: return h.op == Op::kSleep || (h.flags & kTimedOut) != 0;
      case Ready::kNo: return false;
    }
    return false;
  }

  // Does the thread go on as it did in the trace?
  bool goes_on(const Guess& g, uint32_t t) const {
    if (g.position[t] >= own_[t].size() || (held_[t] && g.position[t] >= goal_[t]) || !ready(g, t)) return false;
    const uint32_t event = own_[t][g.position[t]];
    const Step& s = steps_[event];
    if (event == last_ && g.left > 1) return false;
    return s.reads == kNoIndex || !needed_[event] || g.writer[s.reads] == s.writer;
  }

  void execute(Guess& g, uint32_t t) {
    const uint32_t event = own_[t][g.position[t]++];
    const Step& s = steps_[event];
    ++walked_;
    g.left -= needed_[event] ? 1 : 0;
    if (s.may_avoid && done(g, steps_[own_[t][g.position[t]]].waker)) {
      g.avoided.push_back(event);
      g.left -= needed_[own_[t][g.position[t]++]] ? 1 : 0;
      return;
    }
    ++g.steps;
    if (!is_memory(s.happening.op)) g.now.apply(s.happening);
    if (s.writes != kNoIndex) g.writer[s.writes] = event;
  }

  bool preempts(const Guess& g) const {
    const uint32_t t = g.current;
    if (g.position[t] > 0) {
      const Event& last = events_[own_[t][g.position[t] - 1]];
      if (has(last.op, kYields) || (last.flags & kSpin) != 0 || last.op == Op::kThreadExit) return false;
    }
    return ready(g, t);
  }

  bool cheaper(const Guess& g) const { return std::tuple(g.preemptions, g.switches) < std::tuple(trace_.preemptions(), trace_.switches()); }

  // `guess` with one more interval, of thread t, in every length that the thread may be stopped after.
  void extend(const Guess& guess, uint32_t t, std::vector<std::vector<Guess>>& longer) {
    if (t == guess.current || (!everybody_ && guess.position[t] >= goal_[t]) || !goes_on(guess, t)) return;
    Guess g = guess;
    if (g.current != kNoIndex) {
      ++g.switches;
      g.preemptions += preempts(guess) ? 1 : 0;
    }
    if (!cheaper(g)) return;
    g.current = t;
    const uint32_t begin = g.position[t];
    while (goes_on(g, t)) {
      execute(g, t);
      const bool over = everybody_ ? false : g.left == 0;
      const bool stop = stops_[t].contains(g.position[t]) || (!everybody_ && g.position[t] == goal_[t]);
      if (!over && !stop && goes_on(g, t)) continue;
      Guess one = g;
      links_.push_back({{trace_.threads()[t].id, begin + 1, events_[own_[t][g.position[t] - 1]].number - shift(g, t)}, g.link});
      one.link = links_.size() - 1;
      if (over || (everybody_ && nobody_goes_on(one))) {
        ends_.push_back(std::move(one));
        return;
      }
      longer[std::min(one.preemptions, longer.size() - 1)].push_back(std::move(one));
    }
  }

  uint64_t shift(const Guess& g, uint32_t t) const {
    return 2 * static_cast<uint64_t>(std::count_if(g.avoided.begin(), g.avoided.end(), [&](uint32_t w) { return events_[w].thread == t; }));
  }

  // The state in which the trace ended, as far as its signature tells: the places of the waits.
  bool nobody_goes_on(const Guess& g) const {
    std::set<SiteId> waits;
    for (uint32_t t = 0; t < own_.size(); ++t) {
      if (ready(g, t)) return false;
      const Thread& thread = thread_steps_.threads[t];
      const bool ended = g.position[t] >= own_[t].size();
      if (ended && thread.state != ThreadState::kBlocked) continue;
      if (!ended && g.position[t] == 0) return false;
      const Op op = ended ? thread.pending : events_[own_[t][g.position[t]]].op;
      if (op != Op::kThreadJoin) waits.insert(ended ? thread.site : events_[own_[t][g.position[t]]].site);
    }
    return waits == waits_;
  }

  // Fewer needed events left first; ties are broken by a hash, so that threads that do the same do not crowd out the others.
  std::vector<Guess> best_of(std::vector<Guess> all) const {
    std::vector<std::tuple<size_t, uint64_t, size_t>> rank;
    for (size_t i = 0; i < all.size(); ++i) {
      const Guess& g = all[i];
      uint64_t name = g.current;
      for (uint32_t p : g.position) name = mix(name, p);
      for (uint32_t w : g.writer) name = mix(name, w);
      for (const model::ThreadNow& w : g.now.threads) name = mix(name, w.woken ? 1 : 0);
      rank.push_back({g.left, name, i});
    }
    std::sort(rank.begin(), rank.end());
    std::vector<Guess> kept;
    uint64_t before = 0;
    for (const auto& [left, name, i] : rank) {
      if (kept.size() >= kForecastWidth) break;
      if (!kept.empty() && name == before) continue;
      before = name;
      kept.push_back(std::move(all[i]));
    }
    return kept;
  }

  RebuiltOrder forecast_of(const Guess& g) const {
    RebuiltOrder out;
    for (size_t at = g.link; at != kNoInterval; at = links_[at].before) out.order.schedule.push_back(links_[at].interval);
    std::reverse(out.order.schedule.begin(), out.order.schedule.end());
    out.order.preemptions = g.preemptions;
    out.order.switches = g.switches;
    out.order.events = g.steps;
    for (uint32_t w : g.avoided) out.avoided.push_back({trace_.thread_id(events_[w]), events_[w].number});
    return out;
  }

  const Trace& trace_;
  const ThreadSteps thread_steps_;
  const std::vector<Event>& events_;
  const std::vector<Step>& steps_;
  const std::vector<std::vector<uint32_t>>& own_;
  std::vector<std::unordered_set<uint32_t>> stops_;  // of each thread, as a number of its events
  std::vector<uint32_t> goal_;                       // how many of its events a thread must execute
  std::vector<bool> held_;                           // threads that must stop there
  std::vector<bool> needed_;
  bool everybody_ = false;
  size_t last_ = kNoInterval;  // the failing event
  std::set<SiteId> waits_;
  std::vector<Link> links_;
  std::vector<Guess> ends_;
  size_t walked_ = 0;
};

}  // namespace

std::vector<RebuiltOrder> forecasts(const Trace& trace, size_t keep) {
  if (trace.events().empty()) return {};
  std::vector<RebuiltOrder> all = Forecaster(trace).search();
  auto price = [](const RebuiltOrder& f) { return std::tie(f.order.preemptions, f.order.switches, f.order.events); };
  std::stable_sort(all.begin(), all.end(), [&](const RebuiltOrder& a, const RebuiltOrder& b) { return price(a) < price(b); });
  // Where one of them is wrong, others with as many preemptions are likely to be wrong alike: one for each number of them first.
  std::vector<size_t> turn(all.size());
  for (size_t i = 1; i < all.size(); ++i) turn[i] = all[i].order.preemptions == all[i - 1].order.preemptions ? turn[i - 1] + 1 : 0;
  std::vector<RebuiltOrder> chosen;
  for (size_t now = 0; chosen.size() < std::min(keep, all.size()); ++now) {
    for (size_t i = 0; i < all.size() && chosen.size() < keep; ++i) {
      if (turn[i] == now) chosen.push_back(std::move(all[i]));
    }
  }
  return chosen;
}

}  // namespace heddle::simplify
