#include "report/wake_ups.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/condition.h"
#include "report/protocol.h"
#include "report/waits.h"
#include "trace/happens_before.h"
#include "trace/locks.h"

namespace heddle::report {

namespace {

bool is_signal(const Event& e) { return e.op == Op::kCondSignal || e.op == Op::kCondBroadcast; }

class WakeUpDoctor {
 public:
  explicit WakeUpDoctor(Case& c) : c_(c), d_(c.d), trace_(c.trace), events_(c.trace.events()) {}

  bool go() {
    const auto at =
        std::find_if(d_.waits.begin(), d_.waits.end(), [](const WaitEdge& w) { return row(w.op).family == Family::kConditions; });
    if (at == d_.waits.end()) return false;
    waiter_ = *at;
    const WakeUps wake = wake_ups(trace_);
    if (wake.wasted != kNoDifference || wake.lost != kNoDifference || wake.misdirected != kNoDifference) {
      d_.kind = BugClass::kLostWakeup;
      d_.subject = c_.names.object(waiter_.object, waiter_.op);
      lost(wake);
      return true;
    }
    if (const auto stale = undone_wake()) {
      undone(*stale);
      return true;
    }
    never_signalled();
    return true;
  }

 private:
  // "notify_all" or "pthread_cond_broadcast", as the source has it.
  std::string wake_all(size_t signal) const {
    const std::string text = source(signal);
    return text.find("notify") != std::string::npos ? "notify_all"
           : text.find("cnd_") != std::string::npos ? "cnd_broadcast"
                                                    : "pthread_cond_broadcast";
  }
  std::string source(size_t step) const {
    const auto calls = c_.names.calls(step);
    return calls.empty() ? std::string() : c_.names.symbols().source_line(calls.front().file, calls.front().line).value_or("");
  }

  void lost(const WakeUps& wake) {
    const size_t waiting =
        static_cast<size_t>(std::count_if(d_.waits.begin(), d_.waits.end(), [&](const WaitEdge& w) { return w.object == waiter_.object; }));
    if (wake.wasted != kNoDifference) {
      d_.why = c_.happened(wake.wasted) + ", and who was woken by it found nothing to do and waits again; ";
      c_.lines.event(wake.wasted, "is woken here and finds nothing to do");
      d_.fix = fmt::format(
          "The one wake-up at {} went to the wrong thread, while {} waits at {}: use {} there, or a condition for each kind of "
          "waiter.",
          c_.place(wake.wasted), c_.thread(waiter_.thread), waiter_.at, wake_all(wake.wasted));
      before_signal(wake.wasted);
    } else if (wake.lost != kNoDifference) {
      c_.lines.event(wake.lost, "wakes nobody here");
      if (used_up(wake.lost)) return;
      d_.why = c_.happened(wake.lost) + " while nobody waited; ";
      d_.fix = lost_fix(wake.lost);
      before_signal(wake.lost);
    } else {
      d_.why = c_.happened(wake.misdirected) + ", which woke one thread while others wait; ";
      c_.lines.event(wake.misdirected, "wakes one thread only, here");
      d_.fix =
          fmt::format("More than one thread waits for {} and {} wakes only one of them, so that {} still sleep{} at {}: use {} there.",
                      c_.quoted(d_.subject), c_.place(wake.misdirected), waiting == 1 ? c_.thread(waiter_.thread) : std::to_string(waiting),
                      waiting == 1 ? "s" : "", waiter_.at, wake_all(wake.misdirected));
      before_signal(wake.misdirected);
    }
  }

  // The waiter looked under its lock after that signal, and found nothing all the same: what was announced is gone to others who came first. It is
  // not the wake-up that is missing.
  bool used_up(size_t signal) {
    size_t wait = kNoDifference, looked = kNoDifference, others = kNoDifference, again = kNoDifference;
    ObjectId mutex = kNoObject;
    HeldLocks locks(trace_.threads().size());
    for (size_t i = 0; i < events_.size(); ++i) {
      const Event& e = events_[i];
      if (e.thread == waiter_.thread && model::is_condition_wait(e.op)) {
        wait = i;
        mutex = locks.mutex_of(e);
        looked = kNoDifference;
        for (const HeldLock& lock : locks.held(e.thread)) {
          if (lock.object == mutex) looked = lock.event;
        }
      }
      locks.step(i, e);
    }
    if (wait == kNoDifference || looked == kNoDifference || looked < signal || !in_loop(c_, wait)) return false;
    for (size_t i = signal + 1; i < looked; ++i) {
      const Event& e = events_[i];
      if (e.thread == waiter_.thread || !takes_lock(e) || e.object != mutex) continue;
      (e.thread == events_[signal].thread ? again : others) = i;
    }
    if (others == kNoDifference) return does_not_hold(signal, again, looked);
    const std::string first = c_.thread(events_[others].thread);
    d_.why = fmt::format("{}; {}, and {} looks only after that (step {}) and finds nothing; ", c_.happened(signal), c_.happened(others),
                         c_.thread(waiter_.thread), looked + 1);
    d_.fix = fmt::format(
        "What {} waits for at {} was announced at {}, and {} has used it up ({}): announce it once for each thread that waits for it, or "
        "leave it "
        "for the others (put it back, or keep it in a variable that stays set, and wake all).",
        c_.thread(waiter_.thread), waiter_.at, c_.place(signal), first, c_.place(others));
    before_signal(signal);
    c_.lines.event(others, "comes first here");
    return true;
  }

  // The same, and nobody else could have used it up: the signaller has taken it back, or it was not so when it signalled.
  bool does_not_hold(size_t signal, size_t again, size_t looked) {
    const std::string who = c_.thread(waiter_.thread), by = c_.thread(events_[signal].thread);
    const std::string lock = c_.quoted(c_.object(events_[looked]));
    d_.why = fmt::format("{}; {} looks only after that (step {}) and finds that it does not hold; ", c_.happened(signal), who, looked + 1);
    d_.fix = again != kNoDifference ? fmt::format(
                                          "{} announces it at {} and has {} again at {} before {} looks: if that takes it back, do not do "
                                          "so before all who wait have "
                                          "seen it, or count the rounds and let {} wait at {} until the count has changed.",
                                          by, c_.place(signal), lock, c_.place_and_caller(again), who, who, waiter_.at)
                                    : fmt::format(
                                          "{} tests under {}, after the signal at {}, and what it waits for at {} does not hold: make it "
                                          "so before that signal, under {}, "
                                          "and do not take it back before {} has seen it.",
                                          who, lock, c_.place(signal), waiter_.at, lock, who);
    before_signal(signal);
    if (again != kNoDifference) c_.lines.event(again, "has the lock again here, before " + who + " looks");
    return true;
  }

  // The signal came between the test and the wait. Whose mistake is it? The waiter's, who tests without the lock or not at all; or the
  // signaller's, who changes the condition without the lock under which it is tested.
  std::string lost_fix(size_t signal) {
    HeldLocks locks(trace_.threads().size());
    ObjectId mutex = kNoObject;
    size_t wait = kNoDifference, locked = kNoDifference;
    std::vector<bool> signaller_held(events_.size());
    std::vector<std::vector<ObjectId>> held_at(events_.size());
    for (size_t i = 0; i < events_.size(); ++i) {
      const Event& e = events_[i];
      if (i > 0 && e.thread == waiter_.thread && model::is_condition_wait(e.op)) {
        wait = i;
        mutex = locks.mutex_of(e);
        locked = kNoDifference;
        for (const HeldLock& lock : locks.held(e.thread)) {
          if (lock.object == mutex) locked = lock.event;
        }
      }
      for (const HeldLock& lock : locks.held(e.thread)) held_at[i].push_back(lock.object);
      locks.step(i, e);
    }
    if (wait == kNoDifference || mutex == kNoObject) return advice(BugClass::kLostWakeup);
    const std::string lock = c_.quoted(c_.names.object(mutex, Op::kMutexLock));
    auto held = [&](size_t step) { return std::find(held_at[step].begin(), held_at[step].end(), mutex) != held_at[step].end(); };
    const size_t change = change_before(signal);
    const size_t first = change == kNoDifference ? signal : change;
    const bool waiter_had_it = locked != kNoDifference && locked < signal;
    const bool changed_without = !held(signal) && !held(first) && !took_in_between(events_[signal].thread, mutex, signal);
    if (changed_without) {
      c_.lines.event(signal, "signals without the lock of the wait");
      std::string text = fmt::format("Change the condition under {}, the lock of the wait at {}: {} does it at {} without that lock", lock,
                                     waiter_.at, c_.thread(events_[signal].thread), c_.place(first));
      if (waiter_had_it) text += fmt::format(", between the test of {} and its wait", c_.thread(waiter_.thread));
      return text + ".";
    }
    return fmt::format(
        "{} waits at {} for something that has happened already: keep it in a variable, set it under {} before the signal at {}, and test "
        "it under {} in a loop right before the wait.",
        c_.thread(waiter_.thread), waiter_.at, lock, c_.place(signal), lock);
  }

  // Did the signaller have the waiter's lock on its way to the signal? Then it changed the condition under it.
  bool took_in_between(uint32_t thread, ObjectId mutex, size_t signal) const {
    for (size_t i = signal; i-- > 0;) {
      if (events_[i].thread == thread && events_[i].object == mutex && takes_lock(events_[i])) return true;
    }
    return false;
  }

  // What the signaller did just before it signalled is what it signals: often that is the part that lacks the lock.
  size_t change_before(size_t signal) const {
    for (size_t i = signal, seen = 0; i-- > 0 && seen < 4;) {
      if (events_[i].thread != events_[signal].thread) continue;
      ++seen;
      if (is_memory(events_[i].op) && writes(events_[i])) return i;
      if (is_unlock(events_[i].op)) {
        for (size_t k = i; k-- > 0;) {
          if (events_[k].thread == events_[i].thread && events_[k].object == events_[i].object && takes_lock(events_[k])) return k;
        }
      }
      if (is_lock_request(events_[i].op)) return kNoDifference;
    }
    return kNoDifference;
  }
  void before_signal(size_t signal) {
    const size_t change = change_before(signal);
    if (change != kNoDifference) c_.lines.event(change, "changes here what it is about");
  }

  // A thread that was woken, found what it waited for gone again, and now waits for ever.
  std::optional<StaleWake> undone_wake() const {
    const auto threads = trace_.threads();
    for (uint32_t i = 0; i < threads.size(); ++i) {
      if (threads[i].state != ThreadState::kBlocked || row(threads[i].pending).family != Family::kConditions) continue;
      const auto stale = stale_wake(trace_, i, events_.size());
      if (!stale || events_[stale->signal].op != Op::kCondBroadcast) continue;
      // It went straight back to its wait.
      size_t next = stale->wake + 1;
      while (next < events_.size() && events_[next].thread != i) ++next;
      if (next < events_.size() && row(events_[next].op).family == Family::kConditions) return stale;
    }
    return std::nullopt;
  }
  void undone(const StaleWake& stale) {
    d_.kind = BugClass::kAtomicity;
    d_.subject = c_.names.object(waiter_.object, waiter_.op);
    const std::string who = c_.thread(events_[stale.wake].thread);
    d_.why = fmt::format("{} and so wakes {}; {} before {} had the lock back (step {}), found it undone and waits again; ",
                         c_.happened(stale.signal), who, c_.happened(stale.taken), who, stale.wake + 1);
    d_.fix = fmt::format(
        "What the wake-up at {} was for is undone at {} before {} sees it: do not begin the next round before all who were woken have "
        "left the wait at {}, for example by a round number that each waits to change.",
        c_.place(stale.signal), c_.place(stale.taken), who, c_.place(stale.wake));
    c_.lines.event(stale.taken, "undoes here what the wake-up was for");
    c_.lines.event(stale.wake, "returns too late here");
  }

  // Nothing signals it in this run.
  void never_signalled() {
    auto signals_it = [&](const Event& e) { return is_signal(e) && e.object == waiter_.object; };
    const bool otherwise = c_.passing != nullptr && std::any_of(c_.passing->events().begin(), c_.passing->events().end(), signals_it);
    const bool here = std::any_of(events_.begin(), events_.end(), signals_it);
    const auto threads = trace_.threads();
    size_t waiting = 0, others = 0;
    for (uint32_t i = 1; i < threads.size(); ++i) {
      if (threads[i].state == ThreadState::kFinished || threads[i].state == ThreadState::kRemoved) continue;
      ++others;
      const Family family = row(threads[i].pending).family;
      waiting += family == Family::kConditions || family == Family::kSemaphores || family == Family::kFutexes;
    }
    // All are still there, and each waits for what only another could do.
    const bool each_other = others >= 2 && waiting == others && threads.size() == others + 1;
    d_.kind = !each_other && (otherwise || here) ? BugClass::kLostWakeup : BugClass::kDeadlock;
    if (!each_other) d_.subject = c_.names.object(waiter_.object, waiter_.op);
    if (d_.kind == BugClass::kDeadlock) return;
    if (otherwise && !here) {
      for (const Event& e : c_.passing->events()) {
        if (!signals_it(e)) continue;
        d_.fix = fmt::format(
            "Nobody signals {} in this run, for which {} waits at {}; where it passes it is signalled at {}: that line must be reached, "
            "and under the lock, whenever somebody may wait.",
            c_.quoted(d_.subject), c_.thread(waiter_.thread), waiter_.at, c_.names.place(e.site));
        return;
      }
    }
    d_.fix = fmt::format(
        "All signals of {} came before {} waits for it at {}, and no thread is left to send one: test the condition under the lock in a "
        "loop, and count how many must be woken.",
        c_.quoted(d_.subject), c_.thread(waiter_.thread), waiter_.at);
  }

  Case& c_;
  Diagnosis& d_;
  const Trace& trace_;
  const std::span<const Event> events_;
  WaitEdge waiter_;
};

}  // namespace

bool conditions(Case& c) { return WakeUpDoctor(c).go(); }

}  // namespace heddle::report
