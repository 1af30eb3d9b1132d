#include "search/reanchored.h"

#include <algorithm>
#include <set>

#include "wire/event_stacks.h"

namespace heddle::search {

namespace {

constexpr size_t kMostRuns = 400;
constexpr uint64_t kToTheEnd = ~uint64_t{0};

class Fitting {
 public:
  Fitting(const Anchors& anchors, Reanchoring& matching, const Plan& base, const Execute& run, Placer& placer)
      : anchors_(anchors), matching_(matching), run_(run), placer_(placer) {
    result_.plan = base;
    result_.plan.slices.clear();
    result_.plan.choices.clear();
    result_.plan.tail = PolicySpec{};
    result_.plan.strictness = Strictness::kRelaxed;
    result_.plan.detect = kDetectStacks;
  }

  Reanchored go() {
    for (size_t s = 0; s < anchors_.ends.size(); ++s) follow(s);
    result_.replay = execute(result_.plan);
    result_.plan.detect = 0;
    count();
    return std::move(result_);
  }

 private:
  Trace execute(const Plan& plan) {
    ++result_.executions;
    return run_(plan);
  }

  void follow(size_t s) {
    const Anchor& anchor = anchors_.ends[s];
    result_.ends.emplace_back();
    if (result_.executions >= kMostRuns) return;
    Plan plan = result_.plan;
    const ThreadId id = thread_named(anchor.thread, plan);
    if (id == kNoThread) return;
    plan.slices.push_back({id, kToTheEnd});
    const PlacedTrace placed = placer_.place(execute(plan));
    matching_.learn(placed);
    choose(placed);
    ReanchoredEnd& end = result_.ends.back();
    end = matching_.end(s, placed, done_[id]);
    const bool last = s + 1 == anchors_.ends.size();
    // An end that is not known: the thread goes on until it must wait.
    const uint64_t until = last ? kToTheEnd : end.until.value_or(kToTheEnd);
    if (end.until) done_[id] = std::max(done_[id], *end.until);
    result_.plan.slices.push_back({id, until});
    result_.chosen.push_back(anchor.ready && end.until.has_value());
    if (anchor.ready && end.site != kNoSite) result_.sites.push_back(end.site);
  }

  // The thread's name in this build: known once it was seen born.
  ThreadId thread_named(uint32_t old_thread, const Plan& plan) {
    if (const auto known = names_.find(old_thread); known != names_.end()) return known->second;
    const PlacedTrace placed = placer_.place(execute(plan));
    matching_.learn(placed);
    const uint32_t index = matching_.thread(old_thread, placed);
    if (index == kNoIndex) return kNoThread;
    return names_[old_thread] = placed.trace().threads()[index].id;
  }

  // Choices other than who runs, where the run shows their operations.
  void choose(const PlacedTrace& placed) {
    for (const AnchoredChoice& c : anchors_.choices) {
      const uint32_t index = matching_.thread(c.thread, placed);
      if (index == kNoIndex) continue;
      const auto number = matching_.number(c.thread, c.at, placed);
      if (!number) continue;
      uint64_t value = c.value;
      if (c.chosen != kNoOperation) {
        const uint32_t chosen = matching_.thread(c.chosen, placed);
        if (chosen == kNoIndex) continue;
        value = placed.trace().threads()[chosen].id;
      }
      const ThreadId id = placed.trace().threads()[index].id;
      auto& all = result_.plan.choices;
      const bool there = std::any_of(all.begin(), all.end(), [&](const Choice& k) { return k.thread == id && k.number == *number; });
      if (!there) all.push_back({id, *number, value});
    }
    result_.plan.sort_choices();
  }

  void count() {
    for (size_t s = 0; s < anchors_.ends.size(); ++s) {
      if (anchors_.ends[s].after.empty()) continue;
      const AnchorFate fate = result_.ends[s].fate;
      (fate == AnchorFate::kExact ? result_.exact : fate == AnchorFate::kMoved ? result_.moved : result_.lost) += 1;
    }
    const std::set<uint32_t> lost = lost_threads();
    const PlacedTrace last = placer_.place(result_.replay);
    result_.threads_lost = lost.size();
    result_.threads_replaced = static_cast<size_t>(
        std::count_if(lost.begin(), lost.end(), [&](uint32_t thread) { return matching_.synchronises_anew(thread, last); }));
    std::sort(result_.sites.begin(), result_.sites.end());
    result_.sites.erase(std::unique(result_.sites.begin(), result_.sites.end()), result_.sites.end());
  }

  // Threads that are not born, or of which nothing that they did near their switches is in this build.
  std::set<uint32_t> lost_threads() const {
    std::set<uint32_t> lost, found;
    for (const Anchor& end : anchors_.ends) {
      for (const auto* list : {&end.after, &end.before}) {
        for (const NumberedOperation& o : *list) {
          if (anchors_.operations[o.operation].place.function.empty()) continue;
          (matching_.found(o.operation) || matching_.replaced(o.operation) ? found : lost).insert(end.thread);
        }
      }
      if (!names_.contains(end.thread)) lost.insert(end.thread);
    }
    for (uint32_t thread : found) {
      if (names_.contains(thread)) lost.erase(thread);
    }
    return lost;
  }

  const Anchors& anchors_;
  Reanchoring& matching_;
  const Execute& run_;
  Placer& placer_;
  Reanchored result_;
  std::map<uint32_t, ThreadId> names_;
  std::map<ThreadId, uint64_t> done_;  // operations that are done when the schedule so far has been followed
};

}  // namespace

Reanchored reanchor(const Anchors& anchors, Reanchoring& matching, const Plan& base, const Execute& run, Placer& placer) {
  return Fitting(anchors, matching, base, run, placer).go();
}

}  // namespace heddle::search
