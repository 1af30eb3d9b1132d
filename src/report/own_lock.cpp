#include "report/own_lock.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>

#include "trace/happens_before.h"

namespace heddle::report {

namespace {

// Entered by a read that found 0 and a later write of something else, two steps of one thread.
struct Entry {
  size_t look = kNoDifference, set = kNoDifference;
};

bool plain_read(const Event& e) { return is_memory(e.op) && reads(e) && !writes(e); }
bool plain_write(const Event& e) { return is_memory(e.op) && writes(e) && !has(e.op, kReads); }

// Variables that two threads each set and set back to 0.
std::set<ObjectId> signs(const Trace& trace) {
  std::map<std::pair<ThreadId, ObjectId>, bool> raised;
  std::map<ObjectId, std::set<ThreadId>> lowered;
  std::set<ObjectId> found;
  for (const Event& e : trace.events()) {
    if (!plain_write(e) || (e.flags & kPointer) != 0) continue;
    bool& up = raised[{trace.thread_id(e), e.object}];
    if (e.value == 0 && up) lowered[e.object].insert(trace.thread_id(e));
    up = e.value != 0;
  }
  for (const auto& [object, threads] : lowered) {
    if (threads.size() > 1) found.insert(object);
  }
  return found;
}

struct Both {
  Entry first, second;
};

// The second found it free before the first set it, and set it while the first was inside.
std::optional<Both> both_inside(const Trace& trace, ObjectId object) {
  const auto events = trace.events();
  std::map<uint32_t, size_t> looked;  // its last look, if that found 0
  Entry inside;
  for (size_t i = 0; i < events.size(); ++i) {
    const Event& e = events[i];
    if (e.object != object || !is_memory(e.op)) continue;
    if (plain_read(e)) {
      looked.erase(e.thread);
      if (e.value == 0) looked[e.thread] = i;
    } else if (e.value == 0) {
      if (inside.set < i && events[inside.set].thread == e.thread) inside = {};
    } else if (const auto look = looked.find(e.thread); look != looked.end() && plain_write(e)) {
      const Entry entry{look->second, i};
      if (inside.set < i && events[inside.set].thread != e.thread && entry.look < inside.set) return Both{inside, entry};
      inside = entry;
    }
  }
  return std::nullopt;
}

// Until the thread sets it back.
size_t end_of(const Trace& trace, const Entry& entry) {
  const auto events = trace.events();
  size_t i = entry.set + 1;
  while (i < events.size() && !(events[i].thread == events[entry.set].thread && events[i].object == events[entry.set].object &&
                                plain_write(events[i]) && events[i].value == 0))
    ++i;
  return i;
}

// Did both come to the same while each held the lock to be its own, one of them to change it?
bool met_inside(const Trace& trace, const Both& both) {
  const auto events = trace.events();
  const size_t left_first = end_of(trace, both.first), left_second = end_of(trace, both.second);
  for (size_t i = both.first.set + 1; i < left_first; ++i) {
    const Event& a = events[i];
    if (a.thread != events[both.first.set].thread || a.object == events[both.first.set].object || !is_memory(a.op)) continue;
    for (size_t k = both.second.set + 1; k < left_second; ++k) {
      if (events[k].thread == events[both.second.set].thread && events_conflict(a, events[k])) return true;
    }
  }
  return false;
}

}  // namespace

bool both_found_it_free(Case& c) {
  std::set<ObjectId> candidates = signs(c.trace);
  if (c.passing != nullptr) candidates.merge(signs(*c.passing));
  for (ObjectId object : candidates) {
    const auto both = both_inside(c.trace, object);
    if (!both || !met_inside(c.trace, *both)) continue;
    const Entry &first = both->first, &second = both->second;
    const std::string who = c.thread(c.trace.events()[second.look].thread), other = c.thread(c.trace.events()[first.set].thread);
    if (c.place(second.look).empty() || c.place(second.set).empty()) continue;
    c.d.kind = BugClass::kAtomicity;
    c.d.subject = c.object(c.trace.events()[second.look]);
    c.d.why = fmt::format("{}; {} before {}, and both are inside what {} guards", c.happened(second.look), c.happened(first.set),
                          c.happened(second.set), c.quoted(c.d.subject));
    c.d.fix = fmt::format(
        "{} looks whether {} is free ({}) and sets it ({}) in two steps: make them one (an exchange or a compare-and-exchange that takes "
        "it "
        "only if it is free), or use a mutex.",
        who, c.quoted(c.d.subject), c.place(second.look), c.place(second.set));
    c.lines.event(second.look, "finds it free here");
    c.lines.event(first.set, "sets it here, in between");
    c.lines.event(second.set, "sets it here, too late");
    c.lines.gap(c.trace.events()[second.look].thread, second.look, second.set);
    return true;
  }
  return false;
}

}  // namespace heddle::report
