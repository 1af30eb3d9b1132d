#include "report/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "report/evidence.h"
#include "report/lines.h"
#include "report/pattern.h"
#include "report/waits.h"
#include "trace/happens_before.h"
#include "trace/locks.h"

namespace heddle::report {

namespace {

bool is_destruction(Op op) { return op == Op::kFree || op == Op::kMutexDestroy || op == Op::kCondDestroy || op == Op::kRwDestroy; }

class Doctor {
 public:
  Doctor(Names& names, const Cause* cause, const Trace* passing, const Stacks* passing_stacks)
      : names_(names), trace_(names.trace()), cause_(cause), passing_(passing), lines_(names, passing, passing_stacks) {}

  Diagnosis go() {
    d_.ending = short_ending(names_);
    switch (trace_.outcome().kind) {
      case OutcomeKind::kDeadlock: deadlock(); break;
      case OutcomeKind::kLivelock: livelock(); break;
      case OutcomeKind::kMisuse: misuse(); break;
      default: interleaving(); break;
    }
    if (cause_ != nullptr) d_.doomed = doomed_sentence(names_, cause_->doomed, passing_ != nullptr);
    if (has_cause()) {
      d_.claim = claim_sentence(names_, *cause_);
      if (cause_->kind == CauseKind::kWindow && cause_->first.step < trace_.events().size()) d_.deciding = cause_->first.step;
    }
    if (d_.deciding == kNoDifference) {
      if (const auto window = deciding_window(trace_, nullptr)) d_.deciding = window->last;
    }
    if (d_.why.empty()) d_.why = switches_sentence(names_);
    d_.lines = lines_.take();
    return std::move(d_);
  }

 private:
  bool has_cause() const { return cause_ != nullptr && cause_->kind != CauseKind::kNone; }
  std::string thread(uint32_t index) const { return names_.thread(index); }
  std::string happened(size_t step) {
    const Event& e = trace_.events()[step];
    return fmt::format("{} {}{} (step {})", thread(e.thread), names_.operation(e),
                       names_.own_place(e.site).empty() ? "" : " at " + names_.place(e.site), step + 1);
  }

  // --- Nobody can run.

  void deadlock() {
    d_.waits = wait_edges(names_);
    const auto threads = trace_.threads();
    const bool cycle = std::any_of(d_.waits.begin(), d_.waits.end(), [](const WaitEdge& w) { return w.in_cycle; });
    const WakeUps wake = wake_ups(trace_);
    const auto stale = cycle ? std::nullopt : undone_wake();
    d_.kind = wait_class(cycle, wake, stale);
    for (const WaitEdge& w : d_.waits) {
      if (d_.kind != BugClass::kDeadlock && row(w.op).family != Family::kMutexes && d_.subject.empty())
        d_.subject = names_.object(w.object, w.op);
    }
    if (d_.kind == BugClass::kAtomicity) {
      d_.why = fmt::format("{} and so wakes {}; {} before {} had the lock back (step {}), found it undone and waits again; ",
                           happened(stale->signal), thread(trace_.events()[stale->wake].thread), happened(stale->taken),
                           thread(trace_.events()[stale->wake].thread), stale->wake + 1);
      lines_.event(stale->taken, "undoes here what the wake-up was for");
      lines_.event(stale->wake, "comes back too late here");
    }
    if (d_.kind == BugClass::kLostWakeup) {
      if (wake.wasted != kNoDifference) {
        d_.why = happened(wake.wasted) + ", and who was woken by it found nothing to do and waits again; ";
        lines_.event(wake.wasted, "wakes for nothing here");
      } else if (wake.lost != kNoDifference) {
        d_.why = happened(wake.lost) + " while nobody waited; ";
        lines_.event(wake.lost, "wakes nobody here");
      } else if (wake.misdirected != kNoDifference) {
        d_.why = happened(wake.misdirected) + ", which woke one thread while others wait; ";
        lines_.event(wake.misdirected, "wakes one thread only, here");
      }
      before_signal(wake);
    }
    std::string tail;
    for (const WaitEdge& w : d_.waits) {
      if (cycle && !w.in_cycle) continue;
      if (!tail.empty()) tail += "; ";
      tail += wait_sentence(names_, w);
    }
    d_.why += tail;
    // The waits themselves: where each asks for what it never gets.
    for (const WaitEdge& w : d_.waits) {
      const Thread& t = threads[w.thread];
      if (cycle && !w.in_cycle) continue;
      // The callers too: the wait itself is often in a function that does nothing else.
      const auto calls = names_.calls(t.stack.empty() ? std::vector<SiteId>{t.site} : t.stack);
      for (size_t i = 0; i < calls.size() && i < 3; ++i)
        lines_.place(calls[i], w.thread, i == 0 ? thread(w.thread) + " waits here for ever" : "on the way there in " + thread(w.thread));
      if (w.holder != kNoIndex && t.holder_site != kNoSite)
        lines_.stack({t.holder_site}, w.holder, fmt::format("{} took it here", thread(w.holder)));
    }
  }

  // A thread that was woken, found what it waited for gone again, and now waits for ever.
  std::optional<StaleWake> undone_wake() const {
    const auto threads = trace_.threads();
    for (uint32_t i = 0; i < threads.size(); ++i) {
      if (threads[i].state != ThreadState::kBlocked || row(threads[i].pending).family != Family::kConditions) continue;
      const auto stale = stale_wake(trace_, i, trace_.events().size());
      if (!stale || trace_.events()[stale->signal].op != Op::kCondBroadcast) continue;
      // It went straight back to its wait.
      size_t next = stale->wake + 1;
      while (next < trace_.events().size() && trace_.events()[next].thread != i) ++next;
      if (next < trace_.events().size() && row(trace_.events()[next].op).family == Family::kConditions) return stale;
    }
    return std::nullopt;
  }

  BugClass wait_class(bool cycle, const WakeUps& wake, const std::optional<StaleWake>& stale) const {
    const auto threads = trace_.threads();
    // A thread that sleeps on a condition while it holds a lock that another waits for: only that other could have woken it.
    const bool nested = std::any_of(d_.waits.begin(), d_.waits.end(), [&](const WaitEdge& w) {
      return w.holder != kNoIndex && w.holder < threads.size() && row(threads[w.holder].pending).family == Family::kConditions;
    });
    if (cycle || nested) return BugClass::kDeadlock;
    if (wake.any()) return BugClass::kLostWakeup;
    if (stale) return BugClass::kAtomicity;
    size_t waiting = 0, others = 0;
    for (uint32_t i = 1; i < threads.size(); ++i) {
      if (threads[i].state == ThreadState::kFinished || threads[i].state == ThreadState::kRemoved) continue;
      ++others;
      const Family family = row(threads[i].pending).family;
      waiting += family == Family::kConditions || family == Family::kSemaphores || family == Family::kFutexes;
    }
    // All are still there, and each waits for what only another could do.
    if (others >= 2 && waiting == others && threads.size() == others + 1) return BugClass::kDeadlock;
    if (waiting > 0 || (!threads.empty() && row(threads[0].pending).family == Family::kConditions)) return BugClass::kLostWakeup;
    return BugClass::kDeadlock;
  }

  // What the signaller did just before it signalled is what it signals: often that is the part that lacks the lock.
  void before_signal(const WakeUps& wake) {
    const size_t signal = wake.wasted != kNoDifference ? wake.wasted : wake.lost != kNoDifference ? wake.lost : wake.misdirected;
    if (signal == kNoDifference) return;
    for (size_t i = signal; i-- > 0;) {
      if (trace_.events()[i].thread != trace_.events()[signal].thread) continue;
      if (is_memory(trace_.events()[i].op) && writes(trace_.events()[i])) lines_.event(i, "sets here what it is about");
      return;
    }
  }

  void livelock() {
    d_.kind = BugClass::kLivelock;
    // Who spins where: the last events of each thread.
    std::set<SiteId> seen;
    const auto events = trace_.events();
    std::string text;
    for (size_t i = events.size(); i-- > 0 && events.size() - i < 400;) {
      const Event& e = events[i];
      if (names_.own_place(e.site).empty() || seen.size() >= 4 || !seen.insert(e.site).second) continue;
      if ((e.flags & (kSpin | kFailed)) == 0 && e.op != Op::kYield) continue;
      if (!text.empty()) text += "; ";
      text += fmt::format("{} {} at {} over and over", thread(e.thread), names_.operation(e), names_.place(e.site));
      lines_.event(i, "tries again and again here");
      if (d_.subject.empty() && e.object != kNoObject) d_.subject = names_.object(e.object, e.op);
    }
    d_.why = text.empty() ? "the threads repeat the same operations and none gets on" : text;
    decisive_lines();
  }

  // --- Memory and locks used against their rules.

  void misuse() {
    const Outcome& o = trace_.outcome();
    const bool memory = o.memory.freed != kNoSite || o.message.find("freed") != std::string::npos ||
                        o.message.find("free") != std::string::npos || o.message.find("destroyed") != std::string::npos;
    d_.kind = memory ? BugClass::kUseAfterFree : BugClass::kMisuse;
    d_.why = plain_line(o.message, 160);
    if (o.memory.freed != kNoSite) {
      d_.why = fmt::format("{} uses at {} what {} freed at {}", thread(o.thread), names_.place(o.memory.used),
                           o.memory.freed_by == kNoThreadIndex ? "a thread" : thread(o.memory.freed_by), names_.place(o.memory.freed));
      if (o.memory.allocated != kNoSite) d_.why += fmt::format(" (allocated at {})", names_.place(o.memory.allocated));
      lines_.stack({o.memory.freed}, o.memory.freed_by == kNoThreadIndex ? 0 : o.memory.freed_by, "freed here");
      lines_.stack({o.memory.used}, o.thread, fmt::format("{} uses it here", thread(o.thread)));
    }
    decisive_lines();
    fails_here();
  }

  // What stood between: the switch that let it happen.
  void decisive_lines() {
    const auto window = deciding_window(trace_, cause_);
    if (!window) return;
    lines_.event(window->last, "was stopped after this");
    if (window->next < trace_.events().size()) lines_.event(window->next, "goes on here");
    lines_.gap(window->thread, window->last, window->next);
  }

  // The value that a pointer had while it was good, and the moment at which somebody took it away.
  struct Cleared {
    size_t cleared = kNoDifference, found = kNoDifference;  // events
  };
  Cleared cleared_pointer() const {
    const auto events = trace_.events();
    const uint32_t victim = trace_.outcome().thread;
    for (size_t i = events.size(); i-- > 0;) {
      const Event& e = events[i];
      if (e.thread != victim || !is_memory(e.op) || !reads(e) || e.value != 0) continue;
      // Emptied by another thread, after it had held something: in this run, or in the passing one, where it was still good when read.
      bool good = passing_ != nullptr && std::any_of(passing_->events().begin(), passing_->events().end(), [&](const Event& other) {
                    return other.object == e.object && (other.flags & kPointer) != 0;
                  });
      for (size_t k = 0; k < i; ++k) {
        const Event& other = events[k];
        if (other.object != e.object) continue;
        good |= (other.flags & kPointer) != 0;
        if (good && other.thread != victim && writes(other)) return {k, i};
      }
      return {};
    }
    return {};
  }

  // Torn down by one thread, then used by another that crashes on it.
  bool torn_down() {
    const Outcome& o = trace_.outcome();
    const auto events = trace_.events();
    if (o.kind == OutcomeKind::kAssert && speaks_of_end(assertion_text(o.message))) {
      d_.kind = BugClass::kUseAfterFree;
      d_.subject = asserted_variable(assertion_text(o.message));
      d_.why = switches_sentence(names_);
      if (const auto window = deciding_window(trace_, cause_)) {
        const Triple t = best_triple(trace_, *window, cause_);
        d_.why = triple_sentence(names_, *window, t);
        act_lines(*window, t);
      }
      return true;
    }
    if (o.kind != OutcomeKind::kSignal && o.kind != OutcomeKind::kAbort) return false;
    if (o.kind == OutcomeKind::kAbort) {
      if (o.message.find("free") == std::string::npos && o.message.find("corrupt") == std::string::npos) return false;
      d_.kind = BugClass::kUseAfterFree;
      d_.why = fmt::format("{} frees or uses what another thread has freed: {}", thread(o.thread), plain_line(o.message, 80));
      return true;
    }
    for (size_t i = events.size(); i-- > 0;) {
      if (!is_destruction(events[i].op) || events[i].thread == o.thread) continue;
      d_.kind = BugClass::kUseAfterFree;
      d_.subject = names_.object(events[i].object, events[i].op);
      d_.why = fmt::format("{}; {} still used it{}", happened(i), thread(o.thread), o.stack.empty() ? "" : " at " + names_.place(o.stack));
      lines_.event(i, "tears it down here");
      return true;
    }
    if (const Cleared c = cleared_pointer(); c.cleared != kNoDifference) {
      d_.kind = BugClass::kUseAfterFree;
      d_.subject = names_.object(events[c.found].object, events[c.found].op);
      d_.why = fmt::format("{}; {} finds it gone and goes on all the same", happened(c.cleared), happened(c.found));
      lines_.event(c.found, "finds it gone here");
      lines_.event(c.cleared, "takes it away here");
      lines_.approach(c.cleared);
      return true;
    }
    if (too_late_to_use()) return true;
    if (crashed_where_others_did_not()) {
      d_.kind = BugClass::kUseAfterFree;
      d_.why = fmt::format("{} uses at {} what was still there when {} did the same (step {}); it has been taken away since",
                           thread(o.thread), names_.place(o.stack), thread(events[worked_].thread), worked_ + 1);
      lines_.event(worked_, "could still use it here");
      return true;
    }
    return false;
  }

  // It passes when the thread that crashes comes first: what it uses was there, and the other has taken it away since. (A thread that
  // crashes because it came too early finds what is not there yet: that is an order violation.)
  bool too_late_to_use() {
    const Outcome& o = trace_.outcome();
    if (cause_ == nullptr || cause_->kind != CauseKind::kOrder || cause_->first.step >= trace_.events().size()) return false;
    const uint32_t other = trace_.thread_index(cause_->first.thread);
    if (other == o.thread || trace_.thread_index(cause_->second.thread) != o.thread) return false;
    d_.kind = BugClass::kUseAfterFree;
    d_.why =
        fmt::format("{} before {}, which then crashes{} on what {} has torn down or taken away", happened(cause_->first.step),
                    cause_event_words(names_, cause_->second, true), o.stack.empty() ? "" : " at " + names_.place(o.stack), thread(other));
    lines_.event(cause_->first.step, "comes first here");
    lines_.up_to_the_end(cause_->first.step);
    return true;
  }

  // The line that crashes is the line of an operation that went well earlier in this run: what it works on was there then.
  bool crashed_where_others_did_not() {
    const auto crash = names_.calls(trace_.outcome().stack);
    if (crash.empty()) return false;
    for (size_t i = trace_.events().size(); i-- > 0;) {
      if (is_memory(trace_.events()[i].op)) continue;
      const auto calls = names_.calls(i);
      if (calls.empty() || calls.front().file != crash.front().file || calls.front().line != crash.front().line) continue;
      worked_ = i;
      return true;
    }
    return false;
  }

  // --- An interleaving.

  // Something read, or a lock left, before the switch; changed by others; used after it.
  void interleaving() {
    const std::string asserted = asserted_variable(assertion_text(trace_.outcome().message));
    if (torn_down()) {
      decisive_lines();
      fails_here();
      return;
    }
    if (untested_wake(asserted)) return;
    if (cause_ != nullptr && cause_->kind == CauseKind::kOrder) {
      order(asserted);
      fails_here();
      return;
    }
    const auto window = deciding_window(trace_, cause_);
    if (!window || (trace_.preemptions() == 0 && !has_cause())) {
      // Nobody was stopped: it is decided by who comes first where threads wait or begin.
      if (passing_ == nullptr) {
        d_.why = "it failed in every schedule that was tried: it may not depend on the schedule at all";
        if (cause_ != nullptr && cause_->doomed.known && cause_->doomed.from_start) d_.kind = BugClass::kEverySchedule;
      } else if (trace_.switches() > 0 && trace_.preemptions() == 0) {
        d_.kind = BugClass::kOrder;
      }
      d_.subject = asserted;
      parting_lines();
      fails_here();
      return;
    }
    const Triple t = best_triple(trace_, *window, cause_);
    d_.kind = pattern_of(names_, *window, t, cause_);
    d_.subject = subject_of(t, asserted);
    d_.why = triple_sentence(names_, *window, t);
    act_lines(*window, t);
    fails_here();
  }

  // Where the nearest passing run parts from this one: who runs here, and first comes to something shared.
  void parting_lines() {
    const auto events = trace_.events();
    const size_t parts = passing_ == nullptr ? kNoDifference : first_difference(trace_, *passing_);
    for (size_t i = parts; i < events.size() && events[i].thread == events[parts].thread; ++i) {
      if (row(events[i].op).family == Family::kThreads) continue;
      lines_.event(i, "comes first here; not so in the passing run");
      break;
    }
  }

  // Woken, it went on although another had taken the lock first and may have changed what it waited for: a wait without a loop.
  bool untested_wake(const std::string& asserted) {
    const Outcome& o = trace_.outcome();
    const auto stale = stale_wake(trace_, o.thread, trace_.events().size());
    if (!stale || in_loop(stale->wake)) return false;
    // No operation of its own since: what failed is what it woke up for.
    for (size_t i = stale->wake + 1; i < trace_.events().size(); ++i) {
      if (trace_.events()[i].thread == o.thread && !is_memory(trace_.events()[i].op)) return false;
    }
    d_.kind = BugClass::kMisuse;
    const Event& wake = trace_.events()[stale->wake];
    d_.subject = asserted.empty() ? names_.object(wake.object, wake.op) : asserted;
    d_.why = fmt::format("{}; {} before {} had the lock back (step {}), which goes on without testing its condition again",
                         happened(stale->signal), happened(stale->taken), thread(wake.thread), stale->wake + 1);
    lines_.event(stale->wake, "waits here, and does not look again");
    lines_.event(stale->taken, "comes first here");
    lines_.event(stale->signal, "wakes it here");
    fails_here();
    return true;
  }

  // Does the source test the condition again after the wait? The loop stands on the line of the wait or opens just above it, or is the
  // library's own.
  bool in_loop(size_t step) const {
    const auto calls = names_.calls(step);
    if (calls.empty()) return true;
    for (int line = calls.front().line; line > 0 && line + 2 > calls.front().line; --line) {
      const std::string text = names_.symbols().source_line(calls.front().file, line).value_or("");
      if (text.find("while") != std::string::npos || text.find("for (") != std::string::npos || text.find("[&") != std::string::npos ||
          text.find("[this") != std::string::npos || text.find("[=") != std::string::npos || text.find("do {") != std::string::npos)
        return true;
    }
    return false;
  }

  void act_lines(const Window& w, const Triple& t) {
    const auto events = trace_.events();
    // The act comes first: it is the line that one mends.
    const size_t first = t.before != kNoDifference ? t.before : w.last;
    const size_t after = t.after != kNoDifference ? t.after : w.next;
    lines_.event(first, "was here before the switch");
    if (after < events.size()) {
      lines_.event(after, "acts here, too late");
    } else {
      lines_.pending(w.thread, "stood before this");
    }
    lines_.gap(w.thread, first, after);
    if (t.between != kNoDifference) lines_.event(t.between, "runs here, in between");
    // And what else was changed there of what the thread had looked at.
    size_t more = 0;
    for (size_t i = w.last + 1; i < std::min(w.next, events.size()) && more < 2; ++i) {
      const Event& e = events[i];
      if (e.thread == w.thread || i == t.between || !is_memory(e.op) || !writes(e)) continue;
      for (size_t k = w.last + 1; k-- > 0;) {
        if (events[k].thread != w.thread || events[k].object != e.object || !is_memory(events[k].op)) continue;
        lines_.event(i, "changes here what " + thread(w.thread) + " has used");
        ++more;
        break;
      }
    }
    if (w.different_locks) {
      lines_.event(w.other_lock, "takes another lock here");
      lines_.event(w.own_lock, "has this lock, which the other does not ask for");
    }
  }

  std::string subject_of(const Triple& t, const std::string& asserted) {
    const auto events = trace_.events();
    const size_t at = t.between != kNoDifference ? t.between : t.after;
    if (at == kNoDifference) return asserted;
    const Event& e = events[at];
    if (is_memory(e.op)) return names_.object(e.object, e.op);
    return asserted.empty() ? names_.object(e.object, e.op) : asserted;
  }

  void order(const std::string& asserted) {
    d_.kind = BugClass::kOrder;
    const CauseEvent& a = cause_->first;
    const CauseEvent& b = cause_->second;
    const bool seen_memory = is_memory(a.op) && a.object == b.object;
    d_.subject = seen_memory || asserted.empty() ? names_.object(a.object, a.op) : asserted;
    d_.why = fmt::format("{} {} before {}", cause_event_words(names_, a, true),
                         a.step == kNoDifference ? "" : fmt::format("(step {})", a.step + 1), cause_event_words(names_, b, true));
    lines_.event(a.step, "comes first here");
    if (is_memory(a.op) && a.step < trace_.events().size() && reads(trace_.events()[a.step])) lines_.consequence(a.step);
    if (b.step < trace_.events().size()) {
      lines_.event(b.step, "comes later here");
    } else {
      lines_.stack({b.site}, trace_.thread_index(b.thread), "would have come first in a passing run");
    }
  }

  void fails_here() {
    const Outcome& o = trace_.outcome();
    lines_.stack(o.stack, o.thread, fmt::format("{} fails here", thread(o.thread)));
  }

  Names& names_;
  const Trace& trace_;
  const Cause* cause_;
  const Trace* passing_;
  Lines lines_;
  size_t worked_ = kNoDifference;
  Diagnosis d_;
};

}  // namespace

Diagnosis diagnose(Names& names, const Cause* cause, const Trace* passing, const Stacks* passing_stacks) {
  return Doctor(names, cause, passing, passing_stacks).go();
}

}  // namespace heddle::report
