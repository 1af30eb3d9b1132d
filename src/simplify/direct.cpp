// One preemption, tried where the failing run has its own: a thread is stopped there, all others run as far as they can, and only then it
// goes on. Most bugs are of this kind (Lu et al., ASPLOS 2008: two threads and one window), and where one is, this finds it in a few runs,
// while taking preemptions away one by one ends in a local minimum. The way to that place is the run without preemptions.
#include <algorithm>
#include <deque>

#include "simplify/budget.h"
#include "simplify/dependence.h"
#include "simplify/schedule.h"
#include "simplify/simplify.h"
#include "simplify/window.h"

namespace heddle::simplify {

namespace {

constexpr const char* kSequential = "sequential";
constexpr const char* kWindowOfOthers = "one-preemption";
constexpr size_t kFewest = 5, kMost = 16;  // candidates
constexpr size_t kFirst = ~size_t{0};
constexpr size_t kNearest = 3;         // places looked at together
constexpr size_t kMostSlices = 4'000;  // with which the others take turns

class Direct final : public Pass {
 public:
  explicit Direct(const PassInput& input) : best_(input.best), limits_(run_limits(input)) {
    if (best_.preemptions() < 1) done_ = true;
  }

  std::optional<Proposal> propose() override {
    if (done_) return std::nullopt;
    Proposal p;
    p.operation = kWindowOfOthers;
    if (!asked_) {
      asked_ = true;
      p.operation = kSequential;
      p.plan = plan_for({}, best_, limits_);
      p.plan.choices.clear();
      return p;
    }
    if (next_ >= candidates_.size()) return std::nullopt;
    p.plan = plan(candidates_[next_++]);
    return p;
  }

  bool observe(const Proposal& proposal, const Trace& trace, bool fails) override {
    const bool better = fails && simpler(trace.counts(), best_.counts());
    if (proposal.operation == kSequential) {
      sequential_ = trace;
      if (!better) look();
    }
    if (!better) {
      window_.rejected();
      return false;
    }
    window_.accepted();
    best_ = trace;
    if (best_.preemptions() <= 1) done_ = true;
    return true;
  }

  size_t window() const override { return window_.size(); }

 private:
  // Stop before event k of the sequential run, whose thread is the one to stop; `first` of the others goes first.
  struct Candidate {
    size_t k;
    uint32_t first;
  };

  // Where the failing run stopped a thread, as its thread, its operation and the place of that.
  struct Stop {
    ThreadId thread;
    ThreadId other;  // that ran then
    uint64_t number;
    SiteId site;
  };

  // The failing run's preemptions: first of the threads of the bug, then of the others, last first, because what made it fail is near its
  // end; a few places at a time. At each first the same operation, then the last one there, the one before it and the first.
  void look() {
    std::vector<Stop> stops;
    const auto slices = best_.slices();
    std::vector<bool> taken(slices.size());
    auto take = [&](size_t i) {
      if (taken[i] || !slices[i].preempted) return;
      taken[i] = true;
      const Event* stopped = next_of(slices[i]);
      const Thread& thread = best_.threads()[slices[i].thread];
      const SiteId site = stopped != nullptr ? stopped->site : thread.site;
      const ThreadId other = i + 1 < slices.size() ? best_.threads()[slices[i + 1].thread].id : kNoThread;
      for (const Stop& s : stops) {
        if (s.site == site) return;
      }
      stops.push_back({thread.id, other, best_.events()[slices[i].end - 1].number + 1, site});
    };
    std::vector<bool> of_bug(best_.threads().size());
    for (size_t e : bug_events(best_)) of_bug[best_.events()[e].thread] = true;
    for (size_t i = slices.size(); i-- > 0;) {
      if (of_bug[slices[i].thread] && stops.size() < kNearest) take(i);
    }
    for (size_t i = slices.size(); i-- > 0;) take(i);
    for (size_t begin = 0; begin < stops.size(); begin += kNearest) {
      const auto some = std::span(stops).subspan(begin, std::min(kNearest, stops.size() - begin));
      for (const Stop& s : some) {
        const size_t same = same_operation(s.thread, s.number, s.site);
        add(same != kNoInterval ? same : at_site(s.site, 0), s.other);
      }
      for (size_t from_end : {size_t{1}, kFirst, size_t{0}}) {
        for (const Stop& s : some) add(at_site(s.site, from_end), s.other);
      }
    }
    const size_t most = std::clamp(best_.switches() / 6, kFewest, kMost);
    if (candidates_.size() > most) candidates_.resize(most);
  }

  const Event* next_of(const TraceSlice& slice) const {
    for (size_t k = slice.end; k < best_.events().size(); ++k) {
      if (best_.events()[k].thread == slice.thread) return &best_.events()[k];
    }
    return nullptr;
  }

  size_t same_operation(ThreadId thread, uint64_t number, SiteId site) const {
    const auto events = sequential_.events();
    for (size_t k = 0; k < events.size(); ++k) {
      if (sequential_.thread_id(events[k]) == thread && events[k].number == number && events[k].site == site) return k;
    }
    return kNoInterval;
  }
  // The last operation of any thread at the place but `from_end`, or the first one.
  size_t at_site(SiteId site, size_t from_end) const {
    const auto events = sequential_.events();
    size_t found = kNoInterval, seen = 0;
    for (size_t k = events.size(); k-- > 0;) {
      if (events[k].site != site) continue;
      found = k;
      if (seen++ == from_end) return k;
    }
    return from_end == kFirst ? found : kNoInterval;
  }

  void add(size_t k, ThreadId first) {
    if (k == kNoInterval || k == 0) return;
    const auto same = [k](const Candidate& c) { return c.k == k; };
    if (std::any_of(candidates_.begin(), candidates_.end(), same)) return;
    candidates_.push_back({k, sequential_.thread_index(first)});
  }

  Plan plan(const Candidate& c) const {
    const auto events = sequential_.events();
    const auto threads = sequential_.threads();
    const uint32_t stopped = events[c.k].thread;
    Schedule schedule;
    for (size_t i = 0; i < c.k; ++i) {
      const ThreadId id = sequential_.thread_id(events[i]);
      if (schedule.empty() || schedule.back().thread != id) schedule.push_back({id, events[i].number, 0});
      schedule.back().last = events[i].number;
    }
    std::vector<uint32_t> others;
    if (c.first != kNoIndex && c.first != stopped) others.push_back(c.first);
    for (uint32_t t = 0; t < threads.size(); ++t) {
      if (t != stopped && t != c.first) others.push_back(t);
    }
    const size_t turns = others.empty() ? 0 : std::max<size_t>(1, kMostSlices / others.size());
    for (size_t turn = 0; turn < turns; ++turn) {
      for (uint32_t t : others) schedule.push_back({threads[t].id, 1, kForever});
    }
    schedule.push_back({threads[stopped].id, 1, kForever});
    Plan plan = plan_for(schedule, sequential_, limits_);
    return plan;
  }

  Trace best_;
  Limits limits_;
  Trace sequential_;
  std::vector<Candidate> candidates_;
  size_t next_ = 0;
  bool asked_ = false;
  bool done_ = false;
  RunWindow window_;
};

constexpr PassRow kDirectPass{
    .rank = 40,
    .name = "direct",
    .words = "stop one thread where the failing run has a preemption, let all others run, go on",
    .paper = "Lu et al., ASPLOS 2008, section 4",
    .in_default = true,
    .make = [](const PassInput& input) -> std::unique_ptr<Pass> { return std::make_unique<Direct>(input); },
};
HEDDLE_ROW(passes, kDirectPass);

}  // namespace

}  // namespace heddle::simplify
