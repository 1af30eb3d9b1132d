#include "report/timing.h"

#include <fmt/format.h>

#include "model/condition.h"
#include "trace/sight.h"

namespace heddle::report {

namespace {

std::string span_words(uint64_t us) {
  if (us >= 10'000'000) return fmt::format("{} s", us / 1'000'000);
  if (us >= 10'000) return fmt::format("{} ms", us / 1'000);
  return fmt::format("{} us", us);
}

std::string at_place(const Names& names, SiteId site) {
  const std::string place = names.place(site);
  return place.empty() ? "" : fmt::format(" ({})", place);
}

// Who could have gone on when event `from` came before its time, and what it did next, or was about to do when the run ended.
struct KeptWaiting {
  std::string who, what;
};
KeptWaiting kept_waiting(Names& names, size_t from) {
  const Trace& trace = names.trace();
  const auto events = trace.events();
  const uint32_t sleeper = events[from].thread;
  // The last that ran before it, if that was somebody else, else the first to run after it of those that had begun.
  uint32_t thread = kNoIndex;
  for (size_t i = from; i-- > 0 && thread == kNoIndex;) thread = events[i].thread != sleeper ? events[i].thread : kNoIndex;
  for (size_t i = from + 1; i < events.size() && thread == kNoIndex; ++i)
    thread = events[i].thread != sleeper ? events[i].thread : kNoIndex;
  if (thread == kNoIndex) return {"another thread", ""};
  for (size_t i = from + 1; i < events.size(); ++i) {
    if (events[i].thread == thread) return {names.thread(thread), names.operation(events[i]) + at_place(names, events[i].site)};
  }
  const Thread& t = trace.threads()[thread];
  if (t.pending == Op::kNone) return {names.thread(thread), ""};
  return {names.thread(thread), names.operation(t.pending, t.object) + at_place(names, t.site)};
}

}  // namespace

std::vector<TimingNeed> timing_needs(Names& names) {
  const Trace& trace = names.trace();
  const auto events = trace.events();
  std::vector<TimingNeed> needs;
  for (size_t i = 0; i < events.size(); ++i) {
    const Event& e = events[i];
    if (!before_its_time(e)) continue;
    const std::string who = names.thread(e.thread);
    if (model::is_condition_wait(e.op)) {
      needs.push_back({i, "spurious wake-up", 0,
                       fmt::format("{}'s wait on {}{} ends without a signal: a spurious wake-up", who, names.object(e.object, e.op),
                                   at_place(names, e.site))});
      continue;
    }
    const bool sleep = e.op == Op::kSleep;
    const KeptWaiting other = kept_waiting(names, i);
    std::string sentence = fmt::format("{} takes longer than {}'s {} of {}{}", other.who, who, sleep ? "sleep" : "wait", span_words(e.size),
                                       at_place(names, e.site));
    if (!other.what.empty()) sentence += fmt::format(" before it {}", other.what);
    needs.push_back({i, sleep ? "sleep" : "time-out", e.size, std::move(sentence)});
  }
  return needs;
}

std::vector<TimingNeed> timing_needs(const Trace& trace) {
  std::vector<std::string> paths;
  for (const Module& module : trace.modules()) paths.push_back(module.path);
  const Symbols symbols(paths);
  Names names(trace, symbols);
  return timing_needs(names);
}

}  // namespace heddle::report
