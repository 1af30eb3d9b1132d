#include "trace/anchors.h"

#include <algorithm>
#include <map>

#include "trace/guarded.h"
#include "trace/sight.h"
#include "wire/disabled_hooks.h"

namespace heddle::trace {

namespace {

constexpr size_t kMostChoices = 256;

// Threads that wait for each other around a cycle of owners.
std::vector<bool> in_cycle(const Trace& trace) {
  const auto threads = trace.threads();
  std::vector<bool> members(threads.size(), false);
  for (uint32_t start = 0; start < threads.size(); ++start) {
    uint32_t at = start;
    for (size_t steps = 0; steps <= threads.size() && at < threads.size() && threads[at].state == ThreadState::kBlocked; ++steps) {
      at = threads[at].holder;
      if (at != start) continue;
      members[start] = true;
      break;
    }
  }
  return members;
}

}  // namespace

bool Anchors::placed() const {
  return std::any_of(operations.begin(), operations.end(), [](const PlacedOperation& o) { return !o.place.function.empty(); });
}

AnchoredEnding ending_of(const PlacedTrace& placed) {
  const Trace& trace = placed.trace();
  const Outcome& o = trace.outcome();
  AnchoredEnding ending{name(o.kind), o.code, o.message, {}, {}};
  if (!o.stack.empty()) ending.place = placed.place(o.stack);
  if (o.kind != OutcomeKind::kDeadlock) return ending;
  const std::vector<bool> cycle = in_cycle(trace);
  const bool any = std::find(cycle.begin(), cycle.end(), true) != cycle.end();
  for (uint32_t t = 0; t < trace.threads().size(); ++t) {
    const Thread& thread = trace.threads()[t];
    const bool waits = any ? cycle[t] : thread.state == ThreadState::kBlocked && thread.pending != Op::kThreadJoin;
    if (waits && placed.pending(t) != kNoOperation) ending.waits.push_back(placed.operations()[placed.pending(t)]);
  }
  return ending;
}

Anchors anchors_of(const Trace& failing, const Symbols& symbols, const Stacks& stacks) {
  return anchors_of(PlacedTrace(failing, symbols, stacks));
}

namespace {

// What each thread does, in order, each operation with how often it did it before.
std::vector<std::vector<NumberedOperation>> histories(const PlacedTrace& placed) {
  const Trace& trace = placed.trace();
  std::vector<std::vector<NumberedOperation>> done(trace.threads().size());
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> counts;
  for (size_t i = 0; i < trace.events().size(); ++i) {
    const uint32_t thread = trace.events()[i].thread;
    done[thread].push_back({placed.operation(i), ++counts[{thread, placed.operation(i)}]});
  }
  for (uint32_t t = 0; t < done.size(); ++t) {
    if (const uint32_t pending = placed.pending(t); pending != kNoOperation) done[t].push_back({pending, ++counts[{t, pending}]});
  }
  return done;
}

Anchor end_of_slice(const Trace& trace, size_t slice, const std::vector<NumberedOperation>& history, size_t done) {
  Anchor end;
  end.thread = trace.slices()[slice].thread;
  for (size_t i = done; i-- > 0 && end.before.size() < kMostBefore;) end.before.push_back(history[i]);
  if (slice + 1 == trace.slices().size()) return end;
  for (size_t i = done; i < history.size() && end.after.size() < kMostAfter; ++i) end.after.push_back(history[i]);
  end.ready = (trace.events()[trace.slices()[slice + 1].begin].flags & kPreviousReady) != 0;
  return end;
}

}  // namespace

Anchors anchors_of(const PlacedTrace& placed) {
  const Trace& failing = placed.trace();
  Anchors a;
  for (uint32_t t = 0; t < failing.threads().size(); ++t) a.threads.push_back({failing.threads()[t].path, placed.entry_of(t)});
  const auto done = histories(placed);
  std::vector<size_t> count(failing.threads().size(), 0);
  std::map<SiteId, uint32_t> at_site;
  for (size_t s = 0; s < failing.slices().size(); ++s) {
    const TraceSlice& slice = failing.slices()[s];
    for (size_t i = slice.begin; i < slice.end; ++i) {
      const Event& e = failing.events()[i];
      at_site.emplace(e.site, placed.operation(i));
      const NumberedOperation at = done[e.thread][count[e.thread]++];
      if ((e.flags & kChoice) == 0 || a.choices.size() == kMostChoices) continue;
      a.choices.push_back({e.thread, at, failing.thread_index(e.value), e.value});
    }
    a.ends.push_back(end_of_slice(failing, s, done[slice.thread], count[slice.thread]));
  }
  for (SiteId site : failing.data().sites) {
    const bool plain_code = !is_disabled_hook(site) && (site & kAccessMark) != 0;
    if (const auto at = at_site.find(plain_code ? without_hook_bit(site) : site); at != at_site.end()) a.sites.push_back(at->second);
  }
  a.operations = placed.operations();
  a.ending = ending_of(placed);
  a.points = failing.data().points;
  a.preemptions = static_cast<uint32_t>(failing.counts().preemptions);
  a.early_timeouts = static_cast<uint32_t>(early_timeouts(failing));
  a.sleeps = has_timed_operations(failing);
  const GuardedLines lines = guarded_lines(placed);
  a.held = lines.held;
  a.guarded = lines.guarded_names();
  return a;
}

PlacedTrace Placer::place(const Trace& trace) { return place(trace, stacks_in(trace)); }
PlacedTrace Placer::place(const Trace& trace, const Stacks& stacks) { return {trace, symbols_for(trace), stacks}; }

const Symbols& Placer::symbols_for(const Trace& trace) {
  std::vector<std::string> paths;
  for (const Module& module : trace.modules()) paths.push_back(module.path);
  if (symbols_.empty() || paths != paths_) {
    symbols_.push_back(std::make_unique<Symbols>(paths));
    paths_ = std::move(paths);
  }
  return *symbols_.back();
}

}  // namespace heddle::trace
