#include "report/teardown.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/evidence.h"
#include "report/fixes.h"
#include "report/protocol.h"
#include "trace/happens_before.h"

namespace heddle::report {

namespace {

// "session" of "session->alive": what ends is the whole, and the member says so.
std::string ended_object(const std::string& asserted) {
  const size_t dot = asserted.find_last_of(".>");
  if (dot == std::string::npos || !speaks_of_end(asserted.substr(dot + 1))) return asserted;
  return asserted.substr(0, asserted[dot] == '>' ? dot - 1 : dot);
}

bool is_destruction(Op op) { return op == Op::kFree || op == Op::kMutexDestroy || op == Op::kCondDestroy || op == Op::kRwDestroy; }

// "from a.c:14 to a.c:21": the window that was tested, of the thread that fails; empty where it says less.
std::string tested_stretch(const Case& c) {
  const bool known = c.cause != nullptr && c.cause->kind == CauseKind::kWindow && c.cause->first.step < c.trace.events().size() &&
                     row(c.cause->first.op).family != Family::kThreads;
  if (!known || (!c.cause->any_thread && c.trace.events()[c.cause->first.step].thread != c.trace.outcome().thread)) return {};
  const CauseEvent& second = c.cause->second;
  const std::string from = c.place(c.cause->first.step);
  std::string to = c.place(second.step);
  if (to.empty() && second.site != kNoSite && !c.names.own_place(second.site).empty()) to = c.names.place(second.site);
  return from.empty() || to.empty() || from == to ? std::string() : fmt::format("from {} to {}", from, to);
}

class Teardown {
 public:
  explicit Teardown(Case& c) : c_(c), d_(c.d), trace_(c.trace), events_(c.trace.events()), o_(c.trace.outcome()) {}

  bool go() {
    if (o_.kind == OutcomeKind::kAssert && speaks_of_end(assertion_text(o_.message))) return asserted_end();
    if (o_.kind == OutcomeKind::kAbort) return aborted_in_heap();
    if (o_.kind != OutcomeKind::kSignal) return false;
    return destroyed() || pointer_not_there() || too_late_to_use() || same_line_worked();
  }

 private:
  std::string crash_place() const { return o_.stack.empty() ? std::string() : c_.names.place(o_.stack); }

  bool asserted_end() {
    d_.kind = BugClass::kUseAfterFree;
    d_.subject = ended_object(asserted_variable(assertion_text(o_.message)));
    d_.why = switches_sentence(c_.names);
    // Who said that it is over: the last write of another thread to what the failing one looked at last.
    for (size_t i = events_.size(); i-- > 0;) {
      if (events_[i].thread != o_.thread || !is_memory(events_[i].op)) continue;
      for (size_t k = i; k-- > 0;) {
        if (events_[k].object != events_[i].object || events_[k].thread == o_.thread || !writes(events_[k])) continue;
        d_.why = fmt::format("{}, and {} still uses {}{}", c_.happened(k), c_.thread(o_.thread), c_.quoted(d_.subject),
                             o_.stack.empty() ? "" : " at " + crash_place());
        d_.fix = teardown_fix(c_, d_.subject, c_.place(k), events_[k].thread, o_.thread, crash_place(), tested_stretch(c_));
        c_.lines.event(k, "ends it here");
        break;
      }
      break;
    }
    if (d_.fix.empty()) ended_after_a_call();
    return true;
  }

  // No access was seen: then what another thread did after its last call while the failing one was stopped.
  void ended_after_a_call() {
    const auto window = deciding_window(trace_, c_.cause);
    if (!window || window->thread != o_.thread) return;
    for (size_t k = std::min(window->next, events_.size()); k-- > window->last + 1;) {
      if (events_[k].thread == o_.thread || row(events_[k].op).family == Family::kThreads) continue;
      d_.fix = teardown_fix(c_, d_.subject, "after " + c_.place(k), events_[k].thread, o_.thread, crash_place());
      c_.lines.event(k, "ends it after this");
      return;
    }
  }

  bool aborted_in_heap() {
    if (o_.message.find("free") == std::string::npos && o_.message.find("corrupt") == std::string::npos) return false;
    d_.kind = BugClass::kUseAfterFree;
    d_.why = fmt::format("{} frees or uses what another thread has freed: {}", c_.thread(o_.thread), plain_line(o_.message, 80));
    const std::string stretch = tested_stretch(c_);
    d_.fix = fmt::format(
        "Two threads must not both execute {} for the same memory: let one step decide who frees it (an atomic decrement whose result is "
        "tested, or one lock around the test and the free{}).",
        crash_place().empty() ? "that line" : crash_place(), stretch.empty() ? stretch : ", here " + stretch);
    return true;
  }

  bool destroyed() {
    for (size_t i = events_.size(); i-- > 0;) {
      if (!is_destruction(events_[i].op) || events_[i].thread == o_.thread) continue;
      d_.kind = BugClass::kUseAfterFree;
      d_.subject = c_.object(events_[i]);
      d_.why = fmt::format("{}; {} still used it{}", c_.happened(i), c_.thread(o_.thread), o_.stack.empty() ? "" : " at " + crash_place());
      d_.fix = teardown_fix(c_, d_.subject, c_.place(i), events_[i].thread, o_.thread, crash_place());
      c_.lines.event(i, "tears it down here");
      return true;
    }
    return false;
  }

  // The victim's last read gave nothing: somebody has cleared it, or nobody has set it yet.
  bool pointer_not_there() {
    bool first_look = true;
    for (size_t i = events_.size(); i-- > 0;) {
      const Event& e = events_[i];
      if (e.thread != o_.thread || !is_memory(e.op) || !reads(e) || e.value != 0 || e.object == kNoObject) continue;
      auto had_one = [&](const Event& other) { return other.object == e.object && (other.flags & kPointer) != 0; };
      bool good = c_.passing != nullptr && std::any_of(c_.passing->events().begin(), c_.passing->events().end(), had_one);
      // What the thread read last before it crashed, of a pointer's size: who wrote nothing there took it away, whether or not the run shows
      // what it was before.
      good |= first_look && e.size == sizeof(void*);
      first_look = false;
      for (size_t k = 0; k < i; ++k) {
        const Event& other = events_[k];
        if (other.object != e.object) continue;
        good |= (other.flags & kPointer) != 0;
        if (good && other.thread != o_.thread && writes(other) && (other.flags & kPointer) == 0) return cleared(k, i);
      }
      if (good && not_yet(i)) return true;
      if (&e != &events_[events_.size() - 1] && !good) continue;
      return false;
    }
    return false;
  }
  bool cleared(size_t taken, size_t found) {
    d_.kind = BugClass::kUseAfterFree;
    d_.subject = c_.object(events_[found]);
    d_.why = fmt::format("{}; {}, finds it gone and goes on anyway", c_.happened(taken), c_.happened(found));
    d_.fix = teardown_fix(c_, d_.subject, c_.place(taken), events_[taken].thread, o_.thread, c_.place(found));
    c_.lines.event(found, "finds it gone here");
    c_.lines.event(taken, "takes it away here");
    c_.lines.approach(taken);
    return true;
  }
  // Who sets it does so later: in the passing run, or as the next thing that it would have done here.
  bool not_yet(size_t found) {
    const Event& e = events_[found];
    uint32_t who = kNoIndex;
    SiteId site = kNoSite;
    for (uint32_t t = 0; t < trace_.threads().size(); ++t) {
      const Thread& thread = trace_.threads()[t];
      if (t != o_.thread && thread.object == e.object && has(thread.pending, kWrites)) who = t, site = thread.site;
    }
    if (who == kNoIndex && c_.passing != nullptr) {
      for (const Event& other : c_.passing->events()) {
        if (other.object != e.object || (other.flags & kPointer) == 0 || !has(other.op, kWrites)) continue;
        who = trace_.thread_index(c_.passing->thread_id(other));
        site = other.site;
        break;
      }
    }
    if (who == kNoIndex || who == o_.thread) return false;
    d_.kind = BugClass::kOrder;
    d_.subject = c_.object(e);
    const std::string set = c_.names.place(site);
    d_.why = fmt::format("{} before {} sets it at {}", c_.happened(found), c_.thread(who), set);
    size_t created = kNoDifference;
    for (size_t i = 0; i < found; ++i) {
      if (events_[i].op == Op::kThreadCreate && events_[i].thread == who && c_.object(events_[i]) == c_.thread(o_.thread)) created = i;
    }
    d_.fix = created != kNoDifference
                 ? fmt::format("{} starts {} at {} before it sets {} at {}: set it first, or let {} wait for it before {}.", c_.thread(who),
                               c_.thread(o_.thread), c_.place(created), c_.quoted(d_.subject), set, c_.thread(o_.thread), c_.place(found))
                 : fmt::format("{} must wait at {} until {} has set {} at {}.", c_.thread(o_.thread), c_.place(found), c_.thread(who),
                               c_.quoted(d_.subject), set);
    const CauseEvent early{trace_.thread_id(e), e.op, e.object, e.site, found};
    const CauseEvent late{trace_.threads()[who].id, Op::kStore, e.object, site, kNoDifference};
    if (const auto seen = published_early(c_, early, late)) {
      d_.why += fmt::format("; {}, and {}", c_.happened(seen->set), c_.happened(seen->found));
      d_.fix = order_fix(c_, early, late);
      c_.lines.event(seen->set, "lets others see it here, before it is complete");
    }
    c_.lines.event(found, "finds nothing there yet");
    c_.lines.stack({site}, who, fmt::format("{} sets it here, too late", c_.thread(who)));
    return true;
  }

  // It passes when the thread that crashes comes first: what it uses was there, and the other has taken it away since. (A thread that
  // crashes because it came too early finds what is not there yet: that is an order violation.)
  bool too_late_to_use() {
    if (c_.cause == nullptr || c_.cause->kind != CauseKind::kOrder || c_.cause->first.step >= events_.size()) return false;
    const uint32_t other = trace_.thread_index(c_.cause->first.thread);
    if (other == o_.thread || trace_.thread_index(c_.cause->second.thread) != o_.thread) return false;
    d_.kind = BugClass::kUseAfterFree;
    const size_t first = c_.cause->first.step;
    d_.why =
        fmt::format("{} before {}, which then crashes{} on what {} has torn down or taken away", c_.happened(first),
                    cause_event_words(c_.names, c_.cause->second, true), o_.stack.empty() ? "" : " at " + crash_place(), c_.thread(other));
    d_.fix = teardown_fix(c_, "", "what follows " + c_.place(first), other, o_.thread, crash_place());
    c_.lines.event(first, "comes first here");
    c_.lines.up_to_the_end(first);
    return true;
  }

  // The line that crashes is the line of an earlier operation, of another turn or another thread: what it works on was there then. Who
  // took it away since is the thread that ran in between.
  bool same_line_worked() {
    const auto crash = c_.names.calls(o_.stack);
    if (crash.empty()) return false;
    size_t last = kNoDifference;  // of the thread that crashes: it belongs to the crash
    for (size_t i = events_.size(); i-- > 0 && last == kNoDifference;) {
      if (events_[i].thread == o_.thread) last = i;
    }
    for (size_t i = events_.size(); i-- > 0;) {
      const Op op = events_[i].op;
      if (i == last || is_memory(op) || row(op).family == Family::kThreads) continue;
      const auto calls = c_.names.calls(i);
      if (calls.empty() || calls.front().file != crash.front().file || calls.front().line != crash.front().line) continue;
      size_t between = i + 1;
      while (between < events_.size() && (events_[between].thread == o_.thread || row(events_[between].op).family == Family::kThreads))
        ++between;
      if (between >= events_.size()) continue;
      // The last stretch of another thread before the crash.
      size_t taker = events_.size();
      while (taker-- > between && (events_[taker].thread == o_.thread || row(events_[taker].op).family == Family::kThreads)) {
      }
      d_.kind = BugClass::kUseAfterFree;
      d_.why = fmt::format("{} uses at {} what was still there at step {}; {} ran in between ({})", c_.thread(o_.thread), crash_place(),
                           i + 1, c_.thread(events_[taker].thread), c_.happened(taker));
      d_.fix = teardown_fix(c_, "", c_.place(taker), events_[taker].thread, o_.thread, crash_place());
      c_.lines.event(i, "could still use it here");
      c_.lines.event(taker, "ran here since");
      return true;
    }
    return false;
  }

  Case& c_;
  Diagnosis& d_;
  const Trace& trace_;
  const std::span<const Event> events_;
  const Outcome& o_;
};

}  // namespace

std::string teardown_fix(const Case& c, const std::string& what, const std::string& taken, uint32_t by, uint32_t user,
                         const std::string& used, const std::string& stretch) {
  const std::string joined = c.join_place(user, by);
  std::string text = fmt::format("{} must not take {} away ({}) while {} can still use it{}: ", c.thread(by), c.quoted(what), taken,
                                 c.thread(user), used.empty() ? "" : " at " + used);
  if (!joined.empty()) {
    text += fmt::format("join {} before that, not only at {}", c.thread(user), joined);
  } else {
    text += fmt::format("wait for {} to end before that", c.thread(user));
  }
  return text + ", or let its users hold a reference or one lock over test and use" +
         (stretch.empty() ? "." : fmt::format(" (here {}).", stretch));
}

bool torn_down(Case& c) { return Teardown(c).go(); }

// A line that the program's author wrote: not the system's code, and not a library's header that was compiled into the program.
static bool is_own_line(const Case& c, SiteId site) {
  if (site == kNoSite || c.names.own_place(site).empty()) return false;
  const auto frame = c.names.frame(site);
  return !frame || frame->file.empty() || !is_system_source(frame->file);
}

// The last operation that the thread made in a library's code: the free itself is no event where nothing of the block had been seen before.
static size_t last_in_a_library(const Case& c, uint32_t thread) {
  const Stacks* stacks = c.names.stacks();
  if (stacks == nullptr) return kNoDifference;
  for (size_t i = std::min(c.trace.events().size(), stacks->size()); i-- > 0;) {
    const Event& e = c.trace.events()[i];
    if (e.thread != thread || (*stacks)[i].empty() || row(e.op).family == Family::kThreads) continue;
    // Compiled into the program's own function it is the library's all the same.
    const SiteId site = (*stacks)[i].front();
    const auto frames = c.names.symbols().frames(site_module(site), site_offset(site));
    if (!frames.empty() && is_system_source(frames.front().file) && !c.place(i).empty()) return i;
  }
  return kNoDifference;
}

// Freed in a library (a smart pointer's destructor): the event knows the program's line that led there.
static size_t library_call_that_freed(const Case& c) {
  const auto& memory = c.trace.outcome().memory;
  if (is_own_line(c, memory.freed)) return kNoDifference;
  for (size_t i = c.trace.events().size(); i-- > 0;) {
    const Event& e = c.trace.events()[i];
    if (e.op != Op::kFree || e.thread != memory.freed_by || c.place(i).empty()) continue;
    const Stacks* stacks = c.names.stacks();
    const bool passed =
        stacks != nullptr && i < stacks->size() && std::find((*stacks)[i].begin(), (*stacks)[i].end(), memory.freed) != (*stacks)[i].end();
    if (passed || e.site == memory.freed) return i;
  }
  return last_in_a_library(c, memory.freed_by);
}

void diagnose_misuse(Case& c) {
  const Outcome& o = c.trace.outcome();
  Diagnosis& d = c.d;
  const bool memory = o.memory.freed != kNoSite || o.message.find("freed") != std::string::npos ||
                      o.message.find("free") != std::string::npos || o.message.find("destroyed") != std::string::npos;
  if (!memory && released_after_failed_try(c)) return;
  d.kind = memory ? BugClass::kUseAfterFree : BugClass::kMisuse;
  d.why = plain_line(o.message, 160);
  const std::string used = o.stack.empty() ? std::string() : c.names.place(o.stack);
  if (o.memory.freed == kNoSite) {
    d.fix =
        memory ? fmt::format("End or wait for the threads that use it before it is destroyed; it is used at {}.", used.empty() ? "?" : used)
               : fmt::format("Release at {} only what this thread has taken: {}.", used.empty() ? "?" : used, plain_line(o.message, 120));
    return;
  }
  const uint32_t by = o.memory.freed_by == kNoThreadIndex ? 0 : o.memory.freed_by;
  const size_t step = library_call_that_freed(c);
  const std::string freed = step == kNoDifference ? c.names.place(o.memory.freed) : c.place(step);
  const bool own_use = is_own_line(c, o.memory.used);
  const std::string use = !own_use && !used.empty() ? used : c.names.place(o.memory.used);
  d.why = fmt::format("{} uses at {} what {} freed at {}", c.thread(o.thread), use,
                      o.memory.freed_by == kNoThreadIndex ? "a thread" : c.thread(by), freed);
  if (is_own_line(c, o.memory.allocated)) d.why += fmt::format(" (allocated at {})", c.names.place(o.memory.allocated));
  d.fix =
      freed == use
          ? fmt::format(
                "Two threads free it at {}: let one step decide who does (an atomic decrement whose result is tested, or one lock around "
                "the test and the free).",
                freed)
          : teardown_fix(c, "the memory", freed, by, o.thread, use, tested_stretch(c));
  step == kNoDifference ? c.lines.stack({o.memory.freed}, by, "freed here") : c.lines.event(step, "frees it here");
  c.lines.stack(!own_use && !o.stack.empty() ? o.stack : std::vector<SiteId>{o.memory.used}, o.thread,
                fmt::format("{} uses it here", c.thread(o.thread)));
}

}  // namespace heddle::report
