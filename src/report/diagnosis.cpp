#include "report/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/blocked.h"
#include "report/evidence.h"
#include "report/fixes.h"
#include "report/own_lock.h"
#include "report/pattern.h"
#include "report/protocol.h"
#include "report/teardown.h"
#include "trace/happens_before.h"

namespace heddle::report {

namespace {

class Doctor {
 public:
  Doctor(Names& names, const Cause* cause, const Trace* passing, const Stacks* passing_stacks)
      : names_(names),
        trace_(names.trace()),
        cause_(cause),
        passing_(passing),
        lines_(names, passing, passing_stacks),
        case_{names, names.trace(), cause, passing, passing_stacks, lines_, d_} {}

  Diagnosis go() {
    d_.ending = short_ending(names_);
    switch (trace_.outcome().kind) {
      case OutcomeKind::kDeadlock: diagnose_deadlock(case_); break;
      case OutcomeKind::kLivelock:
        diagnose_livelock(case_);
        decisive_lines();
        break;
      case OutcomeKind::kMisuse:
        diagnose_misuse(case_);
        decisive_lines();
        fails_here();
        break;
      default: interleaving(); break;
    }
    if (cause_ != nullptr) d_.doomed = doomed_sentence(names_, cause_->doomed, passing_ != nullptr);
    if (cause_ != nullptr) {
      d_.claim = claim_sentence(names_, *cause_);
      d_.parts = part_sentences(names_, *cause_);
      d_.enough = parts_sentence(*cause_);
      if (cause_->kind == CauseKind::kWindow && cause_->first.step < trace_.events().size()) d_.deciding = cause_->first.step;
    }
    if (d_.deciding == kNoDifference) {
      if (const auto window = deciding_window(trace_, nullptr)) d_.deciding = window->last;
    }
    if (d_.why.empty()) d_.why = switches_sentence(names_);
    if (d_.fix.empty()) d_.fix = advice(d_.kind);
    d_.lines = lines_.take();
    return std::move(d_);
  }

 private:
  bool has_cause() const { return case_.has_cause(); }
  std::string thread(uint32_t index) const { return names_.thread(index); }

  // What was in between: the switch that let it happen.
  void decisive_lines() {
    const auto window = deciding_window(trace_, cause_);
    if (!window) return;
    lines_.event(window->last, "was stopped after this");
    if (window->next < trace_.events().size()) lines_.event(window->next, "goes on here");
    lines_.gap(window->thread, window->last, window->next);
  }

  // --- An interleaving.

  // Something read, or a lock left, before the switch; changed by others; used after it.
  void interleaving() {
    const std::string asserted = asserted_variable(assertion_text(trace_.outcome().message));
    if (released_after_failed_try(case_) || went_on_without_lock(case_)) {
      fails_here();
      return;
    }
    if (torn_down(case_)) {
      decisive_lines();
      fails_here();
      return;
    }
    if (untested_wait(case_, asserted) || both_found_it_free(case_)) {
      fails_here();
      return;
    }
    if (cause_ != nullptr && cause_->kind == CauseKind::kOrder) {
      order(asserted, cause_->first, cause_->second);
      fails_here();
      return;
    }
    if (const CausePart* only = one_order()) {
      order(asserted, only->first, only->second);
      fails_here();
      return;
    }
    const auto window = deciding_window(trace_, cause_);
    if (!window || (trace_.preemptions() == 0 && !has_cause())) {
      unstopped(asserted);
      fails_here();
      return;
    }
    const Triple t = best_triple(trace_, *window, cause_);
    d_.kind = pattern_of(names_, *window, t, cause_, passing_);
    d_.subject = subject_of(t, asserted);
    d_.why = triple_sentence(names_, *window, t);
    d_.fix = interleaving_fix(case_, *window, t);
    act_lines(*window, t);
    fails_here();
  }

  // Nobody was stopped: it is decided by who comes first where threads wait or begin.
  void unstopped(const std::string& asserted) {
    if (passing_ == nullptr) {
      d_.why = "It failed in every schedule that was tried: it may not depend on the schedule at all";
      if (cause_ != nullptr && cause_->doomed.known && cause_->doomed.from_start) d_.kind = BugClass::kEverySchedule;
      if (const auto calls = names_.calls(trace_.outcome().stack); !calls.empty())
        d_.fix = fmt::format(
            "No order of the threads is known that avoids it: look at what {} does before {}, and at what is expected there{}.",
            thread(trace_.outcome().thread), Names::place(calls.front()),
            shows_accesses() ? ""
                             : "; memory accesses are not seen in this build, and one between two calls may decide: heddle-cc shows them");
    } else if (trace_.switches() > 0 && trace_.preemptions() == 0) {
      d_.kind = BugClass::kOrder;
    }
    d_.subject = asserted;
    parting_lines();
  }

  bool shows_accesses() const {
    return std::any_of(trace_.events().begin(), trace_.events().end(), [](const Event& e) { return is_memory(e.op); }) ||
           std::any_of(trace_.modules().begin(), trace_.modules().end(), [](const Module& m) { return m.instrumented; });
  }

  // Where the nearest passing run parts from this one: who runs here, and first comes to something shared.
  void parting_lines() {
    const auto events = trace_.events();
    const size_t parts = passing_ == nullptr ? kNoDifference : first_difference(trace_, *passing_);
    for (size_t i = parts; i < events.size() && events[i].thread == events[parts].thread; ++i) {
      if (row(events[i].op).family == Family::kThreads) continue;
      lines_.event(i, "is first here, and not in the passing run");
      if (d_.kind == BugClass::kOrder) parting_fix(i, parts);
      break;
    }
  }

  // The passing run has another thread there: that one must come first.
  void parting_fix(size_t first, size_t parts) {
    if (passing_ == nullptr || parts >= passing_->events().size()) return;
    if (trace_.events()[first].op == Op::kSleep && slept_too_short(first, parts)) return;
    for (size_t i = parts; i < passing_->events().size(); ++i) {
      const Event& e = passing_->events()[i];
      if (row(e.op).family == Family::kThreads || passing_->thread_id(e) == trace_.thread_id(trace_.events()[first])) continue;
      const Event& early = trace_.events()[first];
      d_.why = parting_words(first, i);
      d_.fix = order_fix(case_, {trace_.thread_id(early), early.op, early.object, early.site, first},
                         {passing_->thread_id(e), e.op, e.object, e.site, kNoDifference});
      return;
    }
  }

  // In the passing run others ran while the thread slept, and what they did is what it counts on.
  bool slept_too_short(size_t sleep, size_t parts) {
    const Event& e = trace_.events()[sleep];
    const ThreadId sleeper = trace_.thread_id(e);
    const auto events = passing_->events();
    uint32_t who = kNoIndex;
    std::string done;
    for (size_t i = parts; i < events.size() && passing_->thread_id(events[i]) != sleeper; ++i) {
      const uint32_t other = trace_.thread_index(passing_->thread_id(events[i]));
      const std::string where = case_.passing_place(i);
      if (other == 0 || other == kNoIndex || where.empty() || (who != kNoIndex && other != who)) continue;
      who = other;
      done = where;
      lines_.stack({events[i].site}, who, thread(who) + " has come this far in the passing run");
    }
    if (who == kNoIndex) return false;
    const std::string here = case_.place(sleep);
    d_.why =
        fmt::format("{} before {} has run (up to {}), which is done by then in the passing run: nothing but the time of a sleep says so",
                    case_.happened(sleep), thread(who), done);
    d_.fix = fmt::format("A sleep orders nothing: let {} wait at {} until {} has done {}: join it, or wait for something that it sets.",
                         thread(e.thread), here, thread(who), done);
    return true;
  }

  // Who is first here and who there, and what let the early one go on.
  std::string parting_words(size_t first, size_t there) {
    const auto events = trace_.events();
    const Event& late = passing_->events()[there];
    const uint32_t other = trace_.thread_index(passing_->thread_id(late));
    std::string text = fmt::format("{} before {} {}", case_.happened(first), other == kNoIndex ? "another thread" : thread(other),
                                   names_.operation(late.op, late.object));
    const std::string where = case_.passing_place(there);
    if (!where.empty()) text += " at " + where;
    text += ", which is first in the passing run";
    for (size_t i = first; i-- > 0;) {
      if (events[i].thread != events[first].thread) continue;
      const Family family = row(events[i].op).family;
      const bool waited = has(events[i].op, kBlocks) && (family == Family::kSemaphores || family == Family::kConditions ||
                                                         family == Family::kFutexes || family == Family::kBarriers);
      if (!waited) {
        if (has(events[i].op, kBlocks) && family != Family::kMutexes) break;
        continue;
      }
      text += fmt::format("; what {} has waited for before is another thing: it {}{} (step {})", thread(events[i].thread),
                          names_.operation(events[i]), case_.at(i), i + 1);
      lines_.event(i, "waits here, and not for that");
      break;
    }
    return text;
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
      lines_.pending(w.thread, "was about to do this");
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

  // No other claim holds, and one order of two accesses is enough and necessary.
  const CausePart* one_order() const {
    if (cause_ == nullptr || cause_->parts.size() != 1 || !cause_->together.failed || cause_->together.failed != cause_->together.orders())
      return nullptr;
    const CausePart& only = cause_->parts.front();
    if (!is_memory(only.first.op) || only.first.object != only.second.object || !claim_sentence(names_, *cause_).empty()) return nullptr;
    return &only;
  }

  void order(const std::string& asserted, const CauseEvent& a, const CauseEvent& b) {
    d_.kind = BugClass::kOrder;
    const bool seen_memory = is_memory(a.op) && a.object == b.object;
    d_.subject = seen_memory || asserted.empty() ? names_.object(a.object, a.op) : asserted;
    d_.why = fmt::format("{} {} before {}", cause_event_words(names_, a, true),
                         a.step == kNoDifference ? "" : fmt::format("(step {})", a.step + 1), cause_event_words(names_, b, true));
    d_.fix = order_fix(case_, a, b);
    if (const auto seen = published_early(case_, a, b)) {
      d_.why += fmt::format("; {}, and {}", case_.happened(seen->set), case_.happened(seen->found));
      lines_.event(seen->set, "lets others see it here, before it is complete");
      lines_.event(seen->found, "finds it here");
    }
    lines_.event(a.step, "comes first here");
    if (is_memory(a.op) && a.step < trace_.events().size() && reads(trace_.events()[a.step])) lines_.consequence(a.step);
    if (b.step < trace_.events().size()) {
      lines_.event(b.step, "comes later here");
    } else {
      lines_.stack({b.site}, trace_.thread_index(b.thread), "is first in a passing run");
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
  Diagnosis d_;
  Lines lines_;
  Case case_;
};

}  // namespace

Diagnosis diagnose(Names& names, const Cause* cause, const Trace* passing, const Stacks* passing_stacks) {
  return Doctor(names, cause, passing, passing_stacks).go();
}

}  // namespace heddle::report
