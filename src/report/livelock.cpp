// Threads that go round in loops and make no progress.
#include <fmt/format.h>

#include <set>

#include "report/blocked.h"
#include "report/case.h"
#include "trace/happens_before.h"

namespace heddle::report {

// The last read of the one thread that is not done and does not wait for another; kNoDifference where there are more of them.
static size_t only_spinner(const Case& c) {
  const auto threads = c.trace.threads();
  uint32_t spinner = kNoIndex;
  for (uint32_t t = 0; t < threads.size(); ++t) {
    if (threads[t].state == ThreadState::kFinished || threads[t].state == ThreadState::kRemoved) continue;
    if (threads[t].state == ThreadState::kBlocked && row(threads[t].pending).family == Family::kThreads) continue;
    if (spinner != kNoIndex) return kNoDifference;
    spinner = t;
  }
  const auto events = c.trace.events();
  for (size_t i = events.size(); i-- > 0;) {
    if (events[i].thread != spinner || !is_memory(events[i].op)) continue;
    return reads(events[i]) && !writes(events[i]) ? i : kNoDifference;
  }
  return kNoDifference;
}

void diagnose_livelock(Case& c) {
  Diagnosis& d = c.d;
  d.kind = BugClass::kLivelock;
  // Who spins where: the last events of each thread.
  std::set<SiteId> seen;
  const auto events = c.trace.events();
  std::set<std::string> named;
  std::string text, places;
  for (size_t i = events.size(); i-- > 0 && events.size() - i < 400;) {
    const Event& e = events[i];
    if (c.names.own_place(e.site).empty() || seen.size() >= 4 || !seen.insert(e.site).second) continue;
    if ((e.flags & (kSpin | kFailed)) == 0 && e.op != Op::kYield) continue;
    if (!text.empty()) text += "; ";
    text += fmt::format("{} {} at {} over and over", c.thread(e.thread), c.names.operation(e), c.place(i));
    if (const std::string where = c.place(i); named.insert(where).second) places += (places.empty() ? "" : " and ") + where;
    c.lines.event(i, "tries again and again here");
    if (d.subject.empty() && e.object != kNoObject) d.subject = c.object(e);
  }
  d.why = text.empty() ? "the threads repeat the same operations and none makes progress" : text;
  if (const size_t alone = only_spinner(c); alone != kNoDifference) {
    const Event& last = events[alone];
    d.fix = fmt::format("{} waits at {} for {} to change, and no other thread is left that would do it", c.thread(last.thread),
                        c.place(alone), c.quoted(c.object(last)));
    for (size_t i = events.size(); i-- > 0;) {
      if (events[i].object != last.object || events[i].thread == last.thread || !writes(events[i]) || c.place(i).empty()) continue;
      d.fix += fmt::format(" (the last was {} at {})", c.thread(events[i].thread), c.place(i));
      break;
    }
    d.fix += ": look at where the value that it waits for comes from, and read and change that in one atomic step.";
  } else if (!places.empty())
    d.fix = fmt::format(
        "None of them makes progress at {}: take the locks in one order, or let one thread wait its turn instead of trying again.", places);
}

}  // namespace heddle::report
