#include "report/blocked.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "report/permits.h"
#include "report/waits.h"
#include "report/wake_ups.h"
#include "trace/happens_before.h"
#include "trace/locks.h"
#include "trace/objects.h"

namespace heddle::report {

namespace {

constexpr size_t kMostNamed = 5;  // threads of which a sentence tells; the table of who waits has the others

class Blocked {
 public:
  explicit Blocked(Case& c) : c_(c), d_(c.d), trace_(c.trace), threads_(c.trace.threads()), locks_(threads_.size()) {
    for (size_t i = 0; i < trace_.events().size(); ++i) locks_.step(i, trace_.events()[i]);
  }

  void go() {
    d_.waits = wait_edges(c_.names);
    d_.kind = BugClass::kDeadlock;
    cycle_ = std::any_of(d_.waits.begin(), d_.waits.end(), [](const WaitEdge& w) { return w.in_cycle; });
    const bool known = cycle_ ? lock_cycle() : held_twice() || keeps_a_lock() || barrier() || never_given_back();
    if (!known && !conditions(c_)) permits(c_);
    if (d_.fix.empty() && d_.kind == BugClass::kDeadlock) nobody_left();
    say_who_waits();
  }

 private:
  std::string name(const WaitEdge& w) { return awaited(c_.names, w); }
  // Where the thread took that lock, the last first.
  std::vector<size_t> taken(uint32_t thread, ObjectId object) const {
    std::vector<size_t> events;
    for (const HeldLock& lock : locks_.held(thread)) {
      if (lock.object == object) events.push_back(lock.event);
    }
    return events;
  }

  void say_who_waits() {
    std::string tail;
    size_t said = 0;
    const bool others = std::any_of(d_.waits.begin(), d_.waits.end(), [](const WaitEdge& w) { return w.op != Op::kThreadJoin; });
    for (const WaitEdge& w : d_.waits) {
      if (cycle_ && !w.in_cycle) continue;
      // Who only waits for the end of another is named where few wait; the table has them all.
      if (w.op == Op::kThreadJoin && others && !w.in_cycle && said >= 2) continue;
      lines_of(w);
      if (++said > kMostNamed) continue;
      tail += (tail.empty() ? "" : "; ") + wait_sentence(c_.names, w);
    }
    if (said > kMostNamed) tail += fmt::format("; and {} more wait", said - kMostNamed);
    d_.why += tail;
  }

  // Where it asks for what it never gets. The callers too: the wait itself is often in a function that does nothing else.
  void lines_of(const WaitEdge& w) {
    const Thread& t = threads_[w.thread];
    const auto calls = c_.names.calls(t.stack.empty() ? std::vector<SiteId>{t.site} : t.stack);
    for (size_t i = 0; i < calls.size() && i < 3; ++i)
      c_.lines.place(calls[i], w.thread,
                     i == 0 ? c_.thread(w.thread) + " waits here forever" : "on the way there in " + c_.thread(w.thread));
    if (w.holder != kNoIndex && t.holder_site != kNoSite && w.op != Op::kThreadJoin)
      c_.lines.stack({t.holder_site}, w.holder, fmt::format("{} took it here", c_.thread(w.holder)));
  }

  bool lock_cycle() {
    std::vector<const WaitEdge*> round;
    for (const WaitEdge& w : d_.waits) {
      if (w.in_cycle) round.push_back(&w);
    }
    if (round.size() == 1) return asks_itself(*round[0]);
    const auto join = std::find_if(round.begin(), round.end(), [](const WaitEdge* w) { return w->op == Op::kThreadJoin; });
    if (join != round.end()) {
      const auto wants = std::find_if(round.begin(), round.end(), [&](const WaitEdge* w) { return w->holder == (*join)->thread; });
      if (wants != round.end() && (*wants)->op != Op::kThreadJoin)
        d_.fix = fmt::format("{} joins {} at {} while it holds {}, taken at {}, which {} needs at {}: release the lock before the join.",
                             c_.thread((*join)->thread), name(**join), (*join)->at, c_.quoted(name(**wants)), (*wants)->taken_at,
                             c_.thread((*wants)->thread), (*wants)->at);
      return true;
    }
    if (std::any_of(round.begin(), round.end(), [](const WaitEdge* w) { return row(w->op).family == Family::kOnces; }))
      return initialisers(round);
    const bool one_object = std::all_of(round.begin(), round.end(), [&](const WaitEdge* w) { return w->object == round[0]->object; });
    if (one_object && row(round[0]->op).family == Family::kRwlocks) {
      d_.subject = name(*round[0]);
      d_.fix = fmt::format(
          "Each of them holds the read lock (taken at {}) and asks for the write lock at {}: release the read lock before asking, or "
          "take "
          "the write lock first.",
          round[0]->taken_at, round[0]->at);
      return true;
    }
    std::string ways;
    size_t named = 0;
    for (const WaitEdge* w : round) {
      // What it holds that the other wants.
      const auto other = std::find_if(round.begin(), round.end(), [&](const WaitEdge* o) { return o->holder == w->thread; });
      if (other == round.end() || ++named > kMostNamed) continue;
      ways += fmt::format("{}{} takes {} at {} and then {} at {}", ways.empty() ? "" : ", ", c_.thread(w->thread), name(**other),
                          (*other)->taken_at.empty() ? "?" : (*other)->taken_at, name(*w), w->at);
    }
    d_.fix = fmt::format("Take these locks in one order everywhere, or all at once: {}{}.", ways, named > kMostNamed ? ", and so on" : "");
    return true;
  }

  // Initialisations that need each other, or a lock whose owner needs one.
  bool initialisers(const std::vector<const WaitEdge*>& round) {
    std::string ways;
    for (const WaitEdge* w : round) {
      const auto other = std::find_if(round.begin(), round.end(), [&](const WaitEdge* o) { return o->holder == w->thread; });
      if (other == round.end()) continue;
      const bool once = row((*other)->op).family == Family::kOnces;
      const auto calls = c_.names.calls(threads_[w->thread].stack);
      ways += fmt::format("{}{} {} {} (since {}) and asks for {} at {}{}", ways.empty() ? "" : ", ", c_.thread(w->thread),
                          once ? "runs the initialisation of" : "holds", c_.quoted(name(**other)), (*other)->taken_at, c_.quoted(name(*w)),
                          w->at, calls.size() < 2 ? std::string() : fmt::format(" (called at {})", Names::place(calls[1])));
    }
    d_.fix = fmt::format(
        "{}: let no initialisation wait for another's: do them in one order, in one place, before the threads start, or call it without a "
        "lock.",
        ways);
    return true;
  }

  bool asks_itself(const WaitEdge& w) {
    d_.subject = name(w);
    if (in_handler(w)) return true;
    if (row(w.op).family == Family::kOnces) {
      const auto calls = c_.names.calls(threads_[w.thread].stack);
      const std::string way = calls.size() < 2 ? std::string() : fmt::format(" (called at {})", Names::place(calls[1]));
      d_.fix = fmt::format(
          "{} runs the initialisation of {} (since {}) and enters it again at {}{}: an initialiser must not need what it initialises.",
          c_.thread(w.thread), c_.quoted(d_.subject), w.taken_at, w.at, way);
      return true;
    }
    std::string call;
    // The call on the way there, in the function that took the lock.
    const auto held = taken(w.thread, w.object);
    if (!held.empty()) {
      const auto owner = c_.names.calls(held.front());
      const auto calls = c_.names.calls(threads_[w.thread].stack);
      for (size_t i = 1; i < calls.size() && !owner.empty(); ++i) {
        if (calls[i].function == owner.front().function) call = Names::place(calls[i]);
      }
    }
    d_.fix = fmt::format(
        "{} already holds {} (taken at {}) when it asks for it again at {}: release it before {}, or do not take it a second time.",
        c_.thread(w.thread), c_.quoted(d_.subject), w.taken_at, w.at, call.empty() ? "that" : fmt::format("the call at {}", call));
    return true;
  }

  // It asks from a signal's handler that came while it had the lock: the line where the signal came is among the callers of the wait.
  bool in_handler(const WaitEdge& w) {
    const auto held = taken(w.thread, w.object);
    const auto calls = c_.names.calls(threads_[w.thread].stack);
    if (held.empty()) return false;
    for (size_t i = trace_.events().size(); i-- > held.front();) {
      const Event& e = trace_.events()[i];
      if (e.thread != w.thread || e.op != Op::kSignalDeliver) continue;
      const auto came = c_.names.calls(i);
      const bool inside = !came.empty() && std::any_of(calls.begin(), calls.end(), [&](const Frame& f) {
        return f.function == came.front().function && f.line == came.front().line;
      });
      if (!inside) return false;
      d_.fix = fmt::format(
          "A signal came at {} while {} held {} (taken at {}), and its handler asks for it at {}: block the signal while {} is held, or "
          "take no lock in the handler (set a flag there, or use sigwait in a thread of its own).",
          c_.place(i), c_.thread(w.thread), c_.quoted(d_.subject), w.taken_at, w.at, c_.quoted(d_.subject));
      return true;
    }
    return false;
  }

  // A recursive mutex that a wait gives back once only.
  bool held_twice() {
    for (uint32_t t = 0; t < threads_.size(); ++t) {
      const ObjectId mutex = locks_.wait_mutex(t);
      if (threads_[t].state != ThreadState::kBlocked || mutex == kNoObject) continue;
      if (gave_back_once(t, mutex)) return true;
    }
    return false;
  }
  // It still holds the mutex, and took it again after that: the one that the wait gave back is gone from the list, it was taken last.
  bool gave_back_once(uint32_t t, ObjectId mutex) {
    const auto held = taken(t, mutex);
    if (held.empty()) return false;
    size_t again = kNoDifference;
    for (size_t i = held.front() + 1; i < trace_.events().size(); ++i) {
      const Event& e = trace_.events()[i];
      if (e.thread == t && e.object == mutex && takes_lock(e)) again = i;
    }
    if (again == kNoDifference) return false;
    d_.subject = c_.names.object(mutex, trace_.events()[held.front()].op);
    d_.fix = fmt::format(
        "{} has locked the recursive mutex {} twice, at {} and at {}, and the wait at {} releases it only once: do not hold it already "
        "when waiting with it.",
        c_.thread(t), c_.quoted(d_.subject), c_.place(held.front()), c_.place(again), edge_place(t));
    c_.lines.event(held.front(), "takes it the first time here");
    c_.lines.event(again, "takes it again here");
    return true;
  }
  std::string edge_place(uint32_t thread) const {
    const auto at = std::find_if(d_.waits.begin(), d_.waits.end(), [&](const WaitEdge& w) { return w.thread == thread; });
    return at == d_.waits.end() ? "?" : at->at;
  }

  // A thread sleeps while it holds a lock that another wants: only that other could have woken it.
  bool keeps_a_lock() {
    for (const WaitEdge& w : d_.waits) {
      if (w.holder >= threads_.size() || w.holder == w.thread || threads_[w.holder].state != ThreadState::kBlocked) continue;
      const auto sleeps = std::find_if(d_.waits.begin(), d_.waits.end(), [&](const WaitEdge& o) { return o.thread == w.holder; });
      if (w.op == Op::kThreadJoin || sleeps == d_.waits.end()) continue;
      if (sleeps->op == Op::kThreadJoin) {
        d_.fix = fmt::format("{} holds {}, taken at {}, while it waits at {} for the end of {}: release it before the join.",
                             c_.thread(w.holder), c_.quoted(name(w)), w.taken_at, sleeps->at, name(*sleeps));
        return true;
      }
      // A condition of the library's own (condition_variable_any) waits with a mutex inside: the program's is given back like any other.
      if (row(sleeps->op).family == Family::kConditions && row(w.op).family == Family::kMutexes && gave_back_once(w.holder, w.object))
        return true;
      d_.fix = fmt::format(
          "{} waits for {} at {} and keeps {}, taken at {}, which {} needs at {} before it can wake it: release {} before the wait.",
          c_.thread(w.holder), c_.quoted(name(*sleeps)), sleeps->at, c_.quoted(name(w)), w.taken_at, c_.thread(w.thread), w.at,
          c_.quoted(name(w)));
      return true;
    }
    return false;
  }

  bool barrier() {
    const auto at = std::find_if(d_.waits.begin(), d_.waits.end(), [](const WaitEdge& w) { return row(w.op).family == Family::kBarriers; });
    if (at == d_.waits.end()) return false;
    uint64_t size = 0;
    for (const Event& e : trace_.events()) {
      if (e.op == Op::kBarrierArrive && e.object == at->object && e.value != 0) size = e.value;
    }
    const auto came =
        static_cast<uint64_t>(std::count_if(d_.waits.begin(), d_.waits.end(), [&](const WaitEdge& w) { return w.object == at->object; }));
    d_.subject = name(*at);
    std::string ended;
    for (uint32_t t = 1; t < threads_.size(); ++t) {
      if (threads_[t].state != ThreadState::kFinished) continue;
      ended += (ended.empty() ? "" : ", ") + c_.thread(t);
      for (size_t i = trace_.events().size(); i-- > 0;) {
        const auto calls = trace_.events()[i].thread == t ? c_.names.calls(i) : std::vector<Frame>();
        if (calls.empty()) continue;
        // The line of the thread's own function: how it left.
        ended += " after " + Names::place(calls.back());
        c_.lines.place(calls.back(), t, fmt::format("{} ends after this without reaching it", c_.thread(t)), i);
        break;
      }
    }
    const auto frames =
        c_.names.calls(threads_[at->thread].stack.empty() ? std::vector<SiteId>{threads_[at->thread].site} : threads_[at->thread].stack);
    std::string set_up;
    if (!frames.empty()) {
      const std::string last = d_.subject.substr(d_.subject.find_last_of(".>") + 1);
      if (const int n = c_.line_with(frames.front().file, {"barrier", "init"}, last); n != 0) {
        Frame line = frames.front();
        line.line = n;
        line.column = 0;
        set_up = " at " + Names::place(line);
        c_.lines.place(line, at->thread, "its size is set here");
      }
    }
    d_.why = fmt::format("{} {} for {} threads and only {} arrived{}; ", c_.quoted(d_.subject), "is", size, came,
                         ended.empty() ? "" : fmt::format(" (ended without: {})", ended));
    d_.fix = fmt::format(
        "The barrier {} is set up{} for {} threads and {} arrived at {}: make the two numbers equal, or let every thread arrive there.",
        c_.quoted(d_.subject), set_up, size, came, at->at);
    return true;
  }

  // A thread has ended with the lock.
  bool never_given_back() {
    for (const WaitEdge& w : d_.waits) {
      if (w.holder >= threads_.size() || threads_[w.holder].state != ThreadState::kFinished || w.op == Op::kThreadJoin) continue;
      d_.subject = name(w);
      d_.fix = fmt::format("{} ended without releasing {}, which it took at {}: unlock it on every path.", c_.thread(w.holder),
                           c_.quoted(d_.subject), w.taken_at);
      return true;
    }
    return std::any_of(d_.waits.begin(), d_.waits.end(), [&](const WaitEdge& w) { return is_lock_request(w.op) && taken_to_the_end(w); });
  }
  // The run no longer knows whose it is: its thread has been joined since.
  bool taken_to_the_end(const WaitEdge& w) {
    for (uint32_t t = 0; t < threads_.size(); ++t) {
      if (threads_[t].state != ThreadState::kFinished || taken(t, w.object).empty()) continue;
      const size_t kept = kept_from(t, w.object);
      if (c_.place(kept).empty()) continue;
      const bool cancelled = std::any_of(trace_.events().begin(), trace_.events().end(), [&](const Event& e) {
        return e.op == Op::kThreadCancel && e.object == thread_object(threads_[t].id);
      });
      d_.subject = name(w);
      d_.why = fmt::format("{} ended with {}, taken at {}; ", c_.thread(t), d_.subject, c_.place(kept));
      d_.fix = fmt::format(
          "{} ended without releasing {}, which it took at {}: {}.", c_.thread(t), c_.quoted(d_.subject), c_.place(kept),
          cancelled ? "it was cancelled, so unlock it in a clean-up handler (pthread_cleanup_push)" : "unlock it on every path");
      c_.lines.event(kept, "takes it here, and ends with it");
      return true;
    }
    return false;
  }
  // Of a recursive lock the one without its release: no function gives back for another.
  size_t kept_from(uint32_t thread, ObjectId object) const {
    const auto events = trace_.events();
    std::set<std::string> given_back;  // by functions that come later
    for (size_t i = events.size(); i-- > 0;) {
      if (events[i].thread != thread || events[i].object != object) continue;
      const auto calls = c_.names.calls(i);
      const std::string function = calls.empty() ? std::string() : calls.front().function;
      if (is_unlock(events[i].op)) given_back.insert(function);
      if (takes_lock(events[i]) && !given_back.contains(function)) return i;
    }
    return taken(thread, object).back();
  }

  void nobody_left() {
    for (const WaitEdge& w : d_.waits) {
      if (w.op == Op::kThreadJoin) continue;
      const auto join = std::find_if(d_.waits.begin(), d_.waits.end(), [](const WaitEdge& o) { return o.op == Op::kThreadJoin; });
      if (signal_came_before(w) || counted(w) || again_in(w) || left_out(w)) return;
      d_.fix = fmt::format("No thread is left that could end the wait of {} at {}", c_.thread(w.thread), w.at);
      if (join != d_.waits.end() && !(join->thread == w.thread))
        d_.fix += fmt::format("; {} waits for its end at {}: what ends the wait must be done before that, or by another thread",
                              c_.thread(join->thread), join->at);
      d_.fix += fmt::format(". Look for who should do it, and how often it must be done before {} counts as reached.", w.at);
      return;
    }
  }

  // Somebody who waits for something else could still arrive, had that wait an end.
  bool others_wait_elsewhere(const WaitEdge& w) const {
    return std::any_of(threads_.begin(), threads_.end(), [&](const Thread& t) {
      return t.state != ThreadState::kFinished && t.object != threads_[w.thread].object && row(t.pending).family != Family::kThreads;
    });
  }

  // What it waits for has come already: the handler ran before the wait began.
  bool signal_came_before(const WaitEdge& w) {
    if (row(w.op).family != Family::kSignals) return false;
    for (size_t i = trace_.events().size(); i-- > 0;) {
      const Event& e = trace_.events()[i];
      if (e.thread != w.thread || e.op != Op::kSignalDeliver) continue;
      const std::string came = c_.place(i);
      d_.kind = BugClass::kLostWakeup;
      d_.why = fmt::format("{} took the signal{} (step {}) before it began to wait for one; ", c_.thread(w.thread),
                           came.empty() ? "" : " at " + came, i + 1);
      d_.fix = fmt::format(
          "The signal for which {} waits at {} came before{}, after the last look at what it says: block it (pthread_sigmask) before that "
          "look, "
          "and wait with sigsuspend or sigwait, which take it only while waiting.",
          c_.thread(w.thread), w.at, came.empty() ? "" : " (" + came + ")");
      c_.lines.event(i, "takes the signal here, before the wait");
      return true;
    }
    return false;
  }

  // Did that thread come to the latch or barrier in that run? Without instrumentation only the last is seen, which wakes the others.
  static bool arrives(const Trace& run, ThreadId thread, ObjectId object) {
    return std::any_of(run.events().begin(), run.events().end(), [&](const Event& e) {
      return run.thread_id(e) == thread && e.object == object && (e.op == Op::kFutexWake || (is_memory(e.op) && writes(e)));
    });
  }
  // " T1 ended after :13 without arriving, which it does at :15 where the run passes."
  std::string who_left_it_out(const WaitEdge& w) {
    std::string text;
    for (size_t i = 0; c_.passing != nullptr && i < c_.passing->events().size(); ++i) {
      const Event& e = c_.passing->events()[i];
      const uint32_t who = trace_.thread_index(c_.passing->thread_id(e));
      const bool came = e.object == w.object && (e.op == Op::kFutexWake || (is_memory(e.op) && writes(e)));
      if (!came || who == kNoIndex || threads_[who].state != ThreadState::kFinished || arrives(trace_, threads_[who].id, w.object))
        continue;
      const std::string there = c_.passing_place(i);
      if (there.empty() || text.find(c_.thread(who) + " ended") != std::string::npos) continue;
      size_t last = trace_.events().size();
      while (last-- > 0 && (trace_.events()[last].thread != who || row(trace_.events()[last].op).family == Family::kThreads)) {
      }
      const bool known = last < trace_.events().size() && !c_.place(last).empty();
      text += fmt::format(" {} ended{} without arriving, which it does at {} where the run passes.", c_.thread(who),
                          known ? " after " + c_.place(last) : "", there);
      if (known) c_.lines.event(last, "ends after this without arriving");
    }
    return text;
  }

  // A latch or barrier of the C++ library, by the line that sets it up: fewer came than its count.
  bool counted(const WaitEdge& w) {
    const auto calls = c_.names.calls(threads_[w.thread].stack);
    if (calls.empty() || row(w.op).family != Family::kFutexes || others_wait_elsewhere(w)) return false;
    const std::string object = name(w), last = object.substr(object.find_last_of(".>") + 1);
    for (const char* kind : {"latch", "barrier"}) {
      const int n = c_.line_with(calls.front().file, {std::string("std::") + kind}, last);
      if (n == 0) continue;
      Frame line = calls.front();
      line.line = n;
      line.column = 0;
      c_.lines.place(line, w.thread, "its count is set here");
      d_.subject = object;
      std::string ended;
      for (uint32_t t = 1; t < threads_.size(); ++t) {
        if (threads_[t].state == ThreadState::kFinished) ended += (ended.empty() ? "" : ", ") + c_.thread(t);
      }
      d_.fix = fmt::format(
          "Fewer arrive at the {} {} than its count, set at {}, asks for: {} waits at {}{}.{} Make the two numbers equal, or let every "
          "thread arrive, on every path.",
          kind, c_.quoted(object), Names::place(line), c_.thread(w.thread), w.at, ended.empty() ? "" : fmt::format(", and {} ended", ended),
          who_left_it_out(w));
      return true;
    }
    return false;
  }

  // Somebody ends this wait in the passing run, and has ended without doing so in this one: another way through its code.
  bool left_out(const WaitEdge& w) {
    if (c_.passing == nullptr) return false;
    const Trace& passing = *c_.passing;
    const ThreadId waiter = threads_[w.thread].id;
    for (size_t i = passing.events().size(); i-- > 0;) {
      const Event& e = passing.events()[i];
      const uint32_t who = trace_.thread_index(passing.thread_id(e));
      if (e.object != w.object || !has(e.op, kReleases) || is_memory(e.op) || who == kNoIndex || passing.thread_id(e) == waiter) continue;
      const bool did = std::any_of(trace_.events().begin(), trace_.events().end(),
                                   [&](const Event& own) { return own.thread == who && own.op == e.op && own.object == e.object; });
      const std::string there = c_.passing_place(i);
      if (did || there.empty() || threads_[who].state != ThreadState::kFinished) continue;
      const size_t read = sent_elsewhere(who);
      d_.fix = fmt::format("{} ends the wait of {} at {} by what it does at {} in the passing run, and here it has ended without that",
                           c_.thread(who), c_.thread(w.thread), w.at, there);
      if (read != kNoDifference) {
        d_.fix +=
            fmt::format(": {}, which it read at {}, sent it another way", c_.quoted(c_.object(trace_.events()[read])), c_.place(read));
        c_.lines.event(read, "goes another way after this");
      }
      d_.fix += ". Do it on every path, or end the wait there too.";
      return true;
    }
    return false;
  }
  // What that thread read of another's last, where the tested order is about that; else kNoDifference.
  size_t sent_elsewhere(uint32_t thread) const {
    if (!c_.has_cause()) return kNoDifference;
    for (const CauseEvent* e : {&c_.cause->first, &c_.cause->second, &c_.cause->between}) {
      for (size_t i = 0; i < trace_.events().size(); ++i) {
        const Event& own = trace_.events()[i];
        if (own.thread == thread && own.object == e->object && is_memory(own.op) && reads(own) && !c_.place(i).empty()) return i;
      }
    }
    return kNoDifference;
  }

  // It waits in a function of the program's own that it has been through before: a lock of that kind is held already.
  bool again_in(const WaitEdge& w) {
    const auto calls = c_.names.calls(threads_[w.thread].stack);
    if (calls.size() < 2) return false;
    for (size_t i = 0; i < trace_.events().size(); ++i) {
      if (trace_.events()[i].thread != w.thread || !takes_lock(trace_.events()[i])) continue;
      const auto before = c_.names.calls(i);
      size_t a = 0, b = 0;
      // The outermost frame of the same function on both ways.
      while (a < before.size() && before[a].function != calls[0].function) ++a;
      if (a + 1 >= before.size() || b + 1 >= calls.size()) continue;
      if (before[a + 1].file == calls[b + 1].file && before[a + 1].line == calls[b + 1].line) continue;
      d_.fix = fmt::format(
          "{} has been through {} before (called at {}) and now waits in it again at {} (called at {}): if it still has what it got there "
          "the first "
          "time, it must not ask a second time.",
          c_.thread(w.thread), pretty(calls[0].function), Names::place(before[a + 1]), w.at, Names::place(calls[b + 1]));
      c_.lines.place(before[a + 1], w.thread, fmt::format("{} got it here the first time", c_.thread(w.thread)), i);
      return true;
    }
    return false;
  }
  static std::string pretty(const std::string& function) { return "`" + function.substr(0, function.find('(')) + "`"; }

  Case& c_;
  Diagnosis& d_;
  const Trace& trace_;
  const std::span<const Thread> threads_;
  HeldLocks locks_;
  bool cycle_ = false;
};

}  // namespace

void diagnose_deadlock(Case& c) { Blocked(c).go(); }

}  // namespace heddle::report
