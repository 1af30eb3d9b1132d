#include "report/pattern.h"

#include <algorithm>

#include "report/case.h"
#include "trace/happens_before.h"
#include "trace/locks.h"

namespace heddle::report {

namespace {

// An operation, executed or the next one.
struct Operation {
  Op op = Op::kNone;
  ObjectId object = kNoObject;
  SiteId site = kNoSite;
  bool reads = false, writes = false;
};

Operation of_event(const Event& e) { return {e.op, e.object, e.site, reads(e), writes(e)}; }

class Pattern {
 public:
  Pattern(Names& names, const Window& w, const Triple& t, const Cause* cause, const Trace* passing)
      : names_(names), trace_(names.trace()), events_(trace_.events()), w_(w), t_(t), cause_(cause), passing_(passing) {}

  BugClass go() const {
    const Event& last = events_[w_.last];
    // Who is created may run at once: what the creator does afterwards comes too late.
    if (last.op == Op::kThreadCreate) return BugClass::kOrder;
    // What it saw under the lock was gone, or another, when it used it after the release.
    if (failed_after_release(trace_, w_))
      return trace_.outcome().kind == OutcomeKind::kSignal ? BugClass::kUseAfterFree : BugClass::kAtomicity;
    if (t_.between == kNoDifference) {
      if (w_.different_locks) return BugClass::kDataRace;
      if (!has_next()) return BugClass::kOrder;
      return hidden_before() ? BugClass::kAtomicity : BugClass::kUnknown;
    }
    const std::optional<Operation> after = after_operation();
    const std::optional<Operation> before = t_.before == kNoDifference ? std::nullopt : std::optional(of_event(events_[t_.before]));
    if (is_memory(events_[t_.between].op)) return of_memory(before, after);
    return of_locks(before, after);
  }

 private:
  bool has_next() const { return w_.next < events_.size(); }

  // The claim was tested to begin with the thread's own start, or with its giving way: it fails after it and passes before it, so between
  // that and the next operation the thread does something that decides, an access that is no point of this run.
  bool hidden_before() const {
    return cause_ != nullptr && cause_->kind == CauseKind::kWindow &&
           (cause_->first.op == Op::kThreadStart || cause_->first.op == Op::kYield);
  }

  // What the stopped thread did next to the same or a related object, or was about to do when the run ended.
  std::optional<Operation> after_operation() const {
    if (t_.after != kNoDifference) return of_event(events_[t_.after]);
    const Thread& t = trace_.threads()[w_.thread];
    if (has_next() || t.object == kNoObject || row(t.pending).family == Family::kThreads) return std::nullopt;
    for (size_t i = w_.last + 1; i < events_.size(); ++i) {
      if (events_[i].thread == w_.thread || events_[i].object != t.object) continue;
      return Operation{t.pending, t.object, t.site, has(t.pending, kReads), has(t.pending, kWrites)};
    }
    return std::nullopt;
  }

  // In the source: an unrolled loop has its section several times, and one line may hold two.
  bool same_place(SiteId a, SiteId b) const {
    if (a == b) return true;
    const auto x = names_.frame(a), y = names_.frame(b);
    return x && y && !x->file.empty() && x->file == y->file && x->line == y->line && x->column == y->column;
  }

  // A flag, a pointer or an index that says that something is there now: nothing before, set or counted up by this.
  bool announces(const Event& e) const {
    if ((e.flags & kPointer) != 0 || e.value <= 1 || has(e.op, kReads)) return true;
    for (size_t i = t_.before; i-- > 0;) {
      if (events_[i].object == e.object && is_memory(events_[i].op) && events_[i].value + 1 == e.value) return true;
      if (events_[i].object == e.object && is_memory(events_[i].op)) return false;
    }
    return false;
  }

  // Does what failed compare the two with each other? "now.nanos == now.seconds * 1000": they are a pair, in whatever order they are set.
  bool compared(ObjectId a, ObjectId b) const {
    const std::string text = assertion_text(trace_.outcome().message);
    if (text.empty() || text.find('!') == 0 || text.find("||") != std::string::npos) return false;
    auto speaks_of = [&](ObjectId object) {
      const std::string name = names_.object(object, Op::kLoad);
      return has_name(text, name.substr(name.find_last_of(".>:") + 1));
    };
    return a != b && speaks_of(a) && speaks_of(b);
  }

  // In the passing run the other thread found the first as it was before, and looked at the second all the same: the first does not guard it.
  bool read_regardless(ObjectId first, ObjectId second) const {
    const Trace* passing = passing_;
    if (passing == nullptr) return false;
    const ThreadId reader = trace_.thread_id(events_[t_.between]);
    bool old = false;
    for (const Event& e : passing->events()) {
      if (passing->thread_id(e) != reader || !is_memory(e.op) || !reads(e)) continue;
      if (e.object == first) old = e.value != events_[t_.before].value;
      if (e.object == second) return old;
    }
    return false;
  }

  // Did the thread come to both from the same lines? Two calls of one function from two lines are two steps of the caller.
  bool same_way(size_t section) const {
    const auto a = names_.calls(section);
    std::vector<Frame> b;
    if (t_.after != kNoDifference) {
      b = names_.calls(t_.after);
    } else {
      b = names_.calls(trace_.threads()[w_.thread].stack);
    }
    if (a.empty() || b.empty() || a.size() != b.size()) return a.size() == b.size() || b.empty() || a.empty();
    for (size_t i = 0; i < a.size(); ++i) {
      if (a[i].file != b[i].file || a[i].line != b[i].line || a[i].column != b[i].column) return false;
    }
    return true;
  }

  // Do others do that with the object while the thread stands still?
  bool others(ObjectId object, bool (*does)(const Event&)) const {
    for (size_t i = w_.last + 1; i < std::min(w_.next, events_.size()); ++i) {
      if (events_[i].thread != w_.thread && events_[i].object == object && does(events_[i])) return true;
    }
    return false;
  }

  BugClass of_memory(const std::optional<Operation>& before, const std::optional<Operation>& after) const {
    if (!before && hidden_before() && after) return BugClass::kAtomicity;
    // One line in both threads, in either order: what it rests on is older.
    if (!before && after && after->writes && writes(events_[t_.between]) && same_place(events_[t_.between].site, after->site))
      return BugClass::kAtomicity;
    if (!before || !after) return BugClass::kOrder;
    if (before->object == after->object) {
      const bool plain = row(events_[t_.between].op).family == Family::kMemory && row(after->op).family == Family::kMemory;
      return plain && !w_.common_lock ? BugClass::kDataRace : BugClass::kAtomicity;
    }
    // Each of two looks at the other's before it sets its own: no order of one thread's steps mends that.
    if (before->reads && !before->writes && after->writes && others(before->object, writes)) return BugClass::kMultiAtomicity;
    // Two objects. It sets the second when the others, who only look at it, have already looked: they relied on its having come first.
    // Announced before it is done: mended by the order. Two values of which neither announces the other are a pair.
    const bool too_late = after->writes && !after->reads && others(after->object, reads) && !others(after->object, writes);
    if (!too_late) return BugClass::kMultiAtomicity;
    if (!before->writes) return BugClass::kOrder;
    const bool pair =
        !announces(events_[t_.before]) || compared(before->object, after->object) || read_regardless(before->object, after->object);
    return pair ? BugClass::kMultiAtomicity : BugClass::kOrder;
  }

  // Was the thread that failed woken by what the stopped one had just announced? Then it was announced before it was so.
  bool announced_too_early() const {
    if (has_next() || trace_.outcome().thread == w_.thread) return false;
    // It may only have been started since.
    size_t first = w_.last + 1;
    while (first < events_.size() && (events_[first].thread != trace_.outcome().thread || events_[first].op == Op::kThreadStart)) ++first;
    if (first >= events_.size() || (events_[first].op != Op::kCondReacquire && events_[first].op != Op::kSemWait)) return false;
    for (size_t i = w_.last + 1, seen = 0; i-- > 0 && seen < 4;) {
      if (events_[i].thread != w_.thread) continue;
      ++seen;
      const bool wakes = events_[i].op == Op::kCondSignal || events_[i].op == Op::kCondBroadcast || events_[i].op == Op::kSemPost;
      if (wakes && events_[i].object == events_[first].object) return true;
    }
    return false;
  }

  // Was the other thread's operation tried before the first and after the second of this one's, and did runs pass both times? Then neither order
  // of the two threads is wrong, only the place in between.
  bool harmless_on_both_sides() const {
    if (cause_ == nullptr || t_.between == kNoDifference) return false;
    const ThreadId own = trace_.threads()[w_.thread].id, other = trace_.thread_id(events_[t_.between]);
    for (const CausePart& opens : cause_->parts) {
      if (opens.first.thread != own || opens.second.thread != other || opens.without.passed == 0) continue;
      for (const CausePart& closes : cause_->parts) {
        if (closes.first.thread == other && closes.second.thread == own && closes.first.step == opens.second.step &&
            closes.without.passed > 0)
          return true;
      }
    }
    return false;
  }

  // Where only calls are seen, a critical section stands for the accesses in it.
  BugClass of_locks(const std::optional<Operation>& before, const std::optional<Operation>& after) const {
    if (!before) return hidden_before() && after ? BugClass::kAtomicity : BugClass::kOrder;
    if (!after || announced_too_early()) return BugClass::kOrder;
    if (hidden_before()) return BugClass::kAtomicity;
    if (before->object != after->object) {
      // Another crashes on what the thread was only about to set up.
      const Outcome& o = trace_.outcome();
      if (o.kind == OutcomeKind::kSignal && o.thread != w_.thread && !has_next()) return BugClass::kOrder;
      return w_.different_locks ? BugClass::kDataRace : BugClass::kMultiAtomicity;
    }
    // The same section twice is the next turn of a loop: nobody meant the two to be one, only in some order with the others'.
    if (is_unlock(before->op) && is_lock_request(after->op)) {
      for (size_t i = t_.before; i-- > 0;) {
        const Event& e = events_[i];
        if (e.thread != w_.thread || e.object != before->object || !takes_lock(e)) continue;
        return same_place(e.site, after->site) && same_way(i) && !harmless_on_both_sides() ? BugClass::kOrder : BugClass::kAtomicity;
      }
    }
    return BugClass::kAtomicity;
  }

  Names& names_;
  const Trace& trace_;
  const std::span<const Event> events_;
  const Window& w_;
  const Triple& t_;
  const Cause* cause_;
  const Trace* passing_;
};

}  // namespace

BugClass pattern_of(Names& names, const Window& window, const Triple& triple, const Cause* cause, const Trace* passing) {
  return Pattern(names, window, triple, cause, passing).go();
}

}  // namespace heddle::report
