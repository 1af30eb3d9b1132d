#include "report/fixes.h"

#include <fmt/format.h>

#include <algorithm>

#include "trace/happens_before.h"
#include "trace/locks.h"
#include "trace/objects.h"

namespace heddle::report {

namespace {

class Fixer {
 public:
  Fixer(const Case& c, const Window& w, const Triple& t) : c_(c), w_(w), t_(t), events_(c.trace.events()) {}

  std::string go() const {
    if (std::string text = set_back(); !text.empty()) return text;
    if (std::string text = after_the_release(); !text.empty()) return text;
    switch (c_.d.kind) {
      case BugClass::kAtomicity: return one_step();
      case BugClass::kMultiAtomicity: return together();
      case BugClass::kDataRace: return race();
      case BugClass::kOrder: return first_things_first();
      case BugClass::kUnknown:
      case BugClass::kDeadlock:
      case BugClass::kLostWakeup:
      case BugClass::kUseAfterFree:
      case BugClass::kLivelock:
      case BugClass::kMisuse:
      case BugClass::kUntestedWait:
      case BugClass::kIgnoredTimeout:
      case BugClass::kEverySchedule: break;
    }
    return {};
  }

 private:
  size_t before() const { return t_.before != kNoDifference ? t_.before : w_.last; }
  size_t after() const { return t_.after != kNoDifference ? t_.after : w_.next; }
  std::string who() const { return c_.thread(w_.thread); }
  bool seen(size_t step) const { return step < events_.size(); }
  std::string other() const { return seen(t_.between) ? c_.thread(events_[t_.between].thread) : std::string("the other thread"); }

  // The line of what the stopped thread came back to, or had next in the end; with its caller where the line before has one too.
  std::string after_place() const {
    if (seen(after())) return c_.place(after());
    const Thread& t = c_.trace.threads()[w_.thread];
    const auto calls = c_.names.calls(t.stack.empty() ? std::vector<SiteId>{t.site} : t.stack);
    return calls.empty() ? std::string() : Names::place(calls.front());
  }
  std::vector<Frame> after_calls() const {
    if (seen(after())) return c_.names.calls(after());
    const Thread& t = c_.trace.threads()[w_.thread];
    return c_.names.calls(t.stack.empty() ? std::vector<SiteId>{t.site} : t.stack);
  }

  // The two lines of the function from which both are reached, where they lie in others: "from a.c:5 to a.c:6"; else the two places.
  std::pair<std::string, std::string> stretch() const {
    const auto first = c_.names.calls(before());
    const auto second = after_calls();
    if (first.empty() || second.empty()) return {c_.place(before()), after_place()};
    auto a = first.rbegin();
    auto b = second.rbegin();
    while (a != first.rend() && b != second.rend() && a->function == b->function && a->file == b->file && a->line == b->line) ++a, ++b;
    if (a != first.rend() && b != second.rend() && a->function == b->function && a->file == b->file)
      return {Names::place(*a), Names::place(*b)};
    if (a != first.rbegin()) return {Names::place(*(a - 1)), Names::place(*(a - 1))};
    return {Names::place(first.front()), Names::place(second.front())};
  }

  static std::string span_words(const std::string& from, const std::string& to) {
    if (from.empty() || from == to) return from.empty() ? "up to " + to : "at " + to;
    return to.empty() ? "after " + from : fmt::format("from {} to {}", from, to);
  }

  // "and T2 around a.c:7", where the others' operation is a plain access that has no lock either.
  std::string others_too() const {
    if (!seen(t_.between) || !is_memory(events_[t_.between].op)) return {};
    const std::string where = c_.place(t_.between);
    return where.empty() ? std::string() : fmt::format(", and take it in {} at {} too", other(), where);
  }

  // ", and T2 comes in between (a.c:9)"
  std::string comes_in_between() const {
    const std::string where = seen(t_.between) ? c_.place(t_.between) : std::string();
    return where.empty() ? where : fmt::format(", and {} comes in between ({})", other(), where);
  }

  // Both hold locks where they meet, and none is the same.
  std::string another_lock() const {
    if (!seen(before()) || !seen(t_.between) || !is_memory(events_[before()].op) || !is_memory(events_[t_.between].op)) return {};
    HeldLocks locks(c_.trace.threads().size());
    std::vector<HeldLock> own, theirs;
    for (size_t i = 0; i <= t_.between; ++i) {
      locks.step(i, events_[i]);
      if (i == before()) own = locks.held(w_.thread);
      if (i == t_.between) theirs = locks.held(events_[i].thread);
    }
    if (own.empty() || theirs.empty()) return {};
    for (const HeldLock& a : own) {
      if (std::any_of(theirs.begin(), theirs.end(), [&](const HeldLock& b) { return a.object == b.object; })) return {};
    }
    return fmt::format("Take the same lock on both sides: {} uses {} at {} under {} (taken at {}), {} at {} under {} (taken at {}).", who(),
                       c_.quoted(c_.object(events_[before()])), c_.place(before()), c_.quoted(c_.object(events_[own.back().event])),
                       c_.place(own.back().event), other(), c_.place(t_.between), c_.quoted(c_.object(events_[theirs.back().event])),
                       c_.place(theirs.back().event));
  }

  // A lock that both sides have used, if there is one.
  std::string common_lock() const {
    for (size_t i = 0; i < events_.size(); ++i) {
      if (!takes_lock(events_[i]) || events_[i].thread != w_.thread) continue;
      const bool shared = std::any_of(events_.begin(), events_.end(), [&](const Event& e) {
        return e.thread != w_.thread && e.object == events_[i].object && takes_lock(e);
      });
      if (shared) return c_.object(events_[i]);
    }
    return {};
  }

  std::string one_step() const {
    if (const std::string text = looked_before_writing(); !text.empty()) return text;
    const auto [from, to] = stretch();
    const bool section = seen(before()) && is_unlock(events_[before()].op);
    if (section && is_lock_at_after()) {
      const std::string lock = c_.quoted(c_.object(events_[before()]));
      if (next_turn())
        return fmt::format(
            "Between two turns of {} ({} released at {}, taken again at {}) {} runs ({}): hold {} in one critical section over all turns, "
            "or "
            "go over a copy that is made under it.",
            who(), lock, c_.place(before()), after_place(), other(), seen(t_.between) ? c_.place(t_.between) : "?", lock);
      return from == to ? fmt::format("{} releases {} and takes it again within {}: hold it once, in one critical section over both.",
                                      who(), lock, from)
                        : fmt::format("Hold {} from {} to {}, in one critical section: {} releases it ({}) and takes it again ({}){}.",
                                      lock, from, to, who(), c_.place(before()), after_place(), comes_in_between());
    }
    if (const std::string text = another_lock(); !text.empty()) return text;
    if (seen(before()) && is_memory(events_[before()].op)) {
      const bool atomic = row(events_[before()].op).family == Family::kAtomics;
      const std::string lock = common_lock();
      return fmt::format("Make what {} does {} one step: hold {} across both{}{}.", who(), span_words(from, to),
                         lock.empty() ? std::string("one lock") : c_.quoted(lock), others_too(),
                         atomic ? ", or use one atomic update (exchange, compare-and-exchange) instead of a load and a store" : "");
    }
    if (const std::string text = looked_without_the_lock(); !text.empty()) return text;
    return fmt::format("Make what {} does {} one step: hold one lock across both{}.", who(), span_words(from, to), others_too());
  }
  // The window opens at the thread's start, or where it gave way, and closes where it takes a lock: what it rests on is older than the lock.
  std::string looked_without_the_lock() const {
    if (!seen(before()) || !is_lock_at_after()) return {};
    if (events_[before()].op != Op::kThreadStart && events_[before()].op != Op::kYield) return {};
    const ObjectId lock = seen(after()) ? events_[after()].object : c_.trace.threads()[w_.thread].object;
    const std::string where = seen(after()) ? c_.place_and_caller(after()) : after_place();
    return fmt::format(
        "What {} has looked at before it takes {} at {} may be changed by then (here by {} at {}): look at it after that, under {}, or "
        "look again there.",
        who(), c_.quoted(c_.names.object(lock, Op::kMutexLock)), where, other(), seen(t_.between) ? c_.place(t_.between) : "?",
        c_.quoted(c_.names.object(lock, Op::kMutexLock)));
  }
  // Looked under the read lock and changes under the write lock, and others came in between: no lock can be held from one to the other.
  std::string looked_before_writing() const {
    if (!seen(before())) return {};
    const Thread& t = c_.trace.threads()[w_.thread];
    const Op change = seen(after()) ? events_[after()].op : t.pending;
    const ObjectId lock = events_[before()].object;
    if (change != Op::kRwWriteLock || lock != (seen(after()) ? events_[after()].object : t.object)) return {};
    size_t look = before();
    while (look > 0 && (events_[look].thread != w_.thread || events_[look].object != lock || !takes_lock(events_[look]))) --look;
    if (events_[look].op != Op::kRwReadLock) return {};
    return fmt::format(
        "{} looks under the read lock of {} ({}) and takes the write lock at {} later, and {} comes in between ({}): look again under the "
        "write lock after {}, or hold the write lock from {} on.",
        who(), c_.quoted(c_.names.object(lock, change)), c_.place(look), after_place(), other(),
        seen(t_.between) ? c_.place(t_.between) : "?", after_place(), c_.place(look));
  }
  // Back to a line above, in the same function: a loop's next turn, which no critical section of that function spans.
  bool next_turn() const {
    const auto first = c_.names.calls(before());
    const auto second = after_calls();
    auto a = first.rbegin();
    auto b = second.rbegin();
    while (a != first.rend() && b != second.rend() && a->function == b->function && a->file == b->file && a->line == b->line) ++a, ++b;
    return a != first.rend() && b != second.rend() && a->function == b->function && a->file == b->file && b->line < a->line;
  }
  bool is_lock_at_after() const {
    if (seen(after())) return is_lock_request(events_[after()].op);
    return is_lock_request(c_.trace.threads()[w_.thread].pending);
  }

  std::string together() const {
    const auto [from, to] = stretch();
    std::string readers;
    // Its next operation counts as done.
    const ObjectId second = seen(after()) ? events_[after()].object : c_.trace.threads()[w_.thread].object;
    // Where the others looked at both.
    for (size_t i = w_.last + 1; i < std::min(w_.next, events_.size()); ++i) {
      const Event& e = events_[i];
      if (e.thread == w_.thread || !is_memory(e.op)) continue;
      if (e.object != events_[before()].object && e.object != second) continue;
      const std::string place = c_.place(i);
      if (!place.empty() && readers.find(place) == std::string::npos) readers += (readers.empty() ? "" : ", ") + place;
    }
    if (const std::string text = crossed(); !text.empty()) return text;
    if (readers.empty()) {
      const std::string where = where_the_claim_has_others();
      return fmt::format("Change or read together what belongs together: one lock held {} by {}{}.", span_words(from, to), who(),
                         where.empty() ? comes_in_between() : fmt::format(", and {} comes in between ({})", other(), where));
    }
    return fmt::format("Change or read together what belongs together: one lock held {} by {}{}.", span_words(from, to), who(),
                       fmt::format(", and by {} over {}", other(), readers));
  }
  // Which operation of the others was tested to decide when it comes in between.
  std::string where_the_claim_has_others() const {
    const bool known = c_.cause != nullptr && c_.cause->kind == CauseKind::kWindow && c_.cause->between.site != kNoSite &&
                       !c_.names.own_place(c_.cause->between.site).empty();
    return known ? c_.names.place(c_.cause->between.site) : std::string();
  }

  // The swap found what the thread had read before, although others have changed it since: they set it back (the ABA problem). No order of
  // the steps mends that.
  std::string set_back() const {
    if (!seen(after()) || events_[after()].op != Op::kAtomicCas || !writes(events_[after()])) return {};
    const Event& swap = events_[after()];
    size_t away = kNoDifference, back = kNoDifference, read = after();
    while (read-- > 0) {
      const Event& e = events_[read];
      if (e.object != swap.object || !is_memory(e.op)) continue;
      if (e.thread == swap.thread) break;
      if (!writes(e)) continue;
      if (back == kNoDifference) back = read;
      away = read;
    }
    if (!seen(read) || !seen(back) || away == back) return {};
    auto same_value = [](const Event& a, const Event& b) { return a.value == b.value && (a.flags & kPointer) == (b.flags & kPointer); };
    if (!same_value(events_[read], events_[back]) || same_value(events_[read], events_[away])) return {};
    return fmt::format(
        "The compare-and-swap at {} cannot see that {} was changed ({} at {}) and set back ({}) since {} read it at {} (ABA): swap a "
        "version number with it that every change raises, or let nobody put back what {} still uses from {} to {} (hazard pointers, one "
        "lock).",
        c_.place(after()), c_.quoted(c_.object(swap)), c_.thread(events_[away].thread), c_.place(away), c_.place(back), who(),
        c_.place(read), who(), c_.place(read), c_.place(after()));
  }

  // It failed on what it did after it had given a lock back, without any operation that is seen: what it had looked at was changed meanwhile.
  std::string after_the_release() const {
    const Outcome& o = c_.trace.outcome();
    if (!failed_after_release(c_.trace, w_) || o.stack.empty() || !seen(t_.between)) return {};
    const std::string fails = c_.names.place(o.stack), left = c_.place(w_.last);
    const std::string joined = c_.join_place(w_.thread, events_[t_.between].thread);
    return fmt::format(
        "{} still uses at {} what it got before it released {} at {}, and {} has changed that since ({}): hold one lock, or a reference "
        "to it, until {} is done, or let {} {} first.",
        who(), fails, c_.quoted(c_.object(events_[w_.last])), left, other(), c_.place(t_.between), fails, other(),
        joined.empty() ? "wait for " + who() : fmt::format("join {} (not only at {})", who(), joined));
  }

  // Each looks at the other's sign before it sets its own: a home-made lock.
  std::string crossed() const {
    if (!seen(before()) || !seen(after()) || !reads(events_[before()]) || !writes(events_[after()])) return {};
    const ObjectId theirs = events_[before()].object, own = events_[after()].object;
    size_t look = kNoDifference, set = kNoDifference;
    for (size_t i = 0; i < events_.size(); ++i) {
      const Event& e = events_[i];
      if (e.thread == w_.thread || !is_memory(e.op)) continue;
      if (look == kNoDifference && i < after() && e.object == own && reads(e)) look = i;
      if (look != kNoDifference && set == kNoDifference && e.thread == events_[look].thread && e.object == theirs && writes(e)) set = i;
    }
    if (look == kNoDifference || set == kNoDifference || theirs == own) return {};
    // Signs that somebody is there, or values that bound each other?
    const bool signs = events_[before()].value == 0 && events_[look].value == 0;
    return fmt::format(
        "{} looks at {} ({}) before it sets {} ({}), and {} looks at {} ({}) before it sets {} ({}): {}hold one lock from the look to the "
        "set "
        "on both sides.",
        who(), c_.quoted(c_.object(events_[before()])), c_.place(before()), c_.quoted(c_.object(events_[after()])), c_.place(after()),
        c_.thread(events_[look].thread), c_.quoted(c_.object(events_[look])), c_.place(look), c_.quoted(c_.object(events_[set])),
        c_.place(set),
        signs ? "each can find that the other is not there. Set first and look then (and give way if both have set), or "
              : "neither sees what the other is about to set. The two belong together: ");
  }

  std::string race() const {
    if (w_.different_locks && seen(w_.other_lock) && seen(w_.own_lock)) {
      return fmt::format("Take the same lock on both sides: {} holds {} (taken at {}), {} takes {} at {}.", who(),
                         c_.quoted(c_.object(events_[w_.own_lock])), c_.place(w_.own_lock), c_.thread(events_[w_.other_lock].thread),
                         c_.quoted(c_.object(events_[w_.other_lock])), c_.place(w_.other_lock));
    }
    const auto [from, to] = stretch();
    return fmt::format(
        "Guard {} with one lock in {} ({}) and in {} ({}), held from the read to the write, or make it one atomic operation.",
        c_.quoted(c_.d.subject), who(), from == to ? from : from + " to " + to, other(), seen(t_.between) ? c_.place(t_.between) : "?");
  }

  // Does its thread raise and lower it again, as one does who wants in and then leaves?
  static bool raised_and_lowered(const Trace& trace, ThreadId thread, ObjectId object) {
    bool raised = false;
    for (const Event& e : trace.events()) {
      if (e.object != object || trace.thread_id(e) != thread || !is_memory(e.op) || !writes(e)) continue;
      if (raised && e.value == 0) return true;
      raised |= e.value != 0;
    }
    return false;
  }
  bool is_sign_of(uint32_t thread, ObjectId object) const {
    const ThreadId id = c_.trace.threads()[thread].id;
    return raised_and_lowered(c_.trace, id, object) || (c_.passing != nullptr && raised_and_lowered(*c_.passing, id, object));
  }

  // A lock made of variables: each raises one of its own, looks at the other's and lowers its own in the end. Nobody has to wait for the other's
  // sign there: it comes too late.
  std::string protocol() const {
    if (!seen(t_.between) || !seen(after()) || !is_memory(events_[t_.between].op) || !reads(events_[t_.between])) return {};
    const uint32_t them = events_[t_.between].thread;
    const ObjectId own = events_[t_.between].object;
    if (events_[after()].object != own || !writes(events_[after()]) || !is_sign_of(w_.thread, own)) return {};
    const auto theirs = std::find_if(events_.begin(), events_.end(), [&](const Event& e) {
      return e.thread == w_.thread && is_memory(e.op) && reads(e) && e.object != own && is_sign_of(them, e.object);
    });
    if (theirs == events_.end()) return {};
    const std::string early = seen(before()) ? c_.place(before()) : std::string(), late = after_place();
    return fmt::format(
        "{} and {} keep each other out by {} and {} alone, and {} looks at {} ({}) before {} has set it ({}): {}use one lock "
        "instead of these variables.",
        who(), c_.thread(them), c_.quoted(c_.object(events_[after()])), c_.quoted(c_.object(*theirs)), c_.thread(them),
        c_.quoted(c_.object(events_[after()])), c_.place(t_.between), who(), late,
        early.empty() || early == late ? std::string() : fmt::format("set it before {}, or ", early));
  }

  // Others go on by what the thread has posted or signalled, and rest on what it does only after that.
  std::string woke_too_early() const {
    const size_t told = before();
    if (!seen(told)) return {};
    const Op op = events_[told].op;
    if (op != Op::kSemPost && op != Op::kCondSignal && op != Op::kCondBroadcast && op != Op::kFutexWake) return {};
    size_t woken = told + 1;
    while (seen(woken) &&
           !(events_[woken].thread != w_.thread && events_[woken].object == events_[told].object && has(events_[woken].op, kBlocks)))
      ++woken;
    if (!seen(woken)) return {};
    const std::string early = c_.place(told), late = after_place();
    return fmt::format("{} {} at {}, by which {} goes on ({}), before it has done {}: do that first, and this last.", who(),
                       c_.names.operation(op, events_[told].object), early, c_.thread(events_[woken].thread), c_.place(woken),
                       late.empty() || late == early ? "what follows" : late);
  }

  // The stopped thread should have done the rest before the others look.
  std::string first_things_first() const {
    const std::string late = after_place();
    if (events_[w_.last].op == Op::kThreadCreate)
      return fmt::format("Do {} before the thread is started at {}, or let {} wait for it.", late.empty() ? "the rest" : late,
                         c_.place(w_.last), c_.object(events_[w_.last]));
    if (const std::string text = protocol(); !text.empty()) return text;
    if (const std::string text = woke_too_early(); !text.empty()) return text;
    if (seen(t_.between) && !late.empty() && next_turn())
      return fmt::format("{} must not reach {} before {} has come to its next turn at {}: let it wait for that.", other(),
                         c_.place(t_.between), who(), late);
    if (seen(t_.between) && !late.empty()) {
      const std::string early = seen(before()) ? c_.place(before()) : std::string();
      const auto [from, to] = stretch();
      const bool callers = from != early && to != late && from != to;
      return fmt::format("{} must execute {}{} before {} reaches {}: move it before {}{}, or let {} wait for it.", who(), late,
                         callers ? fmt::format(" (called at {})", to) : "", other(), c_.place(t_.between),
                         early.empty() || early == late ? "that" : early, callers ? fmt::format(" (called at {})", from) : "", other());
    }
    return late.empty() ? std::string()
                        : fmt::format("{} reaches {} too late: do it before the others can run, or let them wait for it.", who(), late);
  }

  const Case& c_;
  const Window& w_;
  const Triple& t_;
  const std::span<const Event> events_;
};

// May that pointer lead to the object? The two are parts of one allocation, as far as both are known.
bool leads_to(const Trace& trace, ObjectId target, ObjectId object) {
  if (object_kind(object) != ObjectKind::kHeap || object_kind(target) != ObjectKind::kHeap) return false;
  const ObjectRow *a = nullptr, *b = nullptr;
  for (const ObjectRow& row : trace.objects()) {
    if (row.id == target) a = &row;
    if (row.id == object) b = &row;
  }
  return a == nullptr || b == nullptr || (a->a == b->a && a->b == b->b);
}

std::string place_of(const Case& c, const CauseEvent& e) {
  if (e.step < c.trace.events().size()) {
    if (const std::string where = c.place(e.step); !where.empty()) return where;
  }
  return e.site == kNoSite || c.names.own_place(e.site).empty() ? std::string() : c.names.place(e.site);
}

}  // namespace

std::string interleaving_fix(const Case& c, const Window& window, const Triple& triple) { return Fixer(c, window, triple).go(); }

// What the thread found there made it go on: it had looked at the same line before and found another value, or found one in the passing run
// and did not come to the object then.
static bool waited_for(const Case& c, size_t found, ObjectId object) {
  const auto events = c.trace.events();
  const Event& f = events[found];
  for (size_t i = found; i-- > 0;) {
    if (events[i].thread == f.thread && events[i].object == f.object && events[i].site == f.site && events[i].value != f.value) return true;
  }
  if (c.passing == nullptr) return false;
  const ThreadId who = c.trace.thread_id(f);
  bool turned_back = false;
  for (const Event& e : c.passing->events()) {
    if (c.passing->thread_id(e) != who || !is_memory(e.op)) continue;
    if (e.object == f.object && reads(e)) turned_back = e.value != f.value;
    if (e.object == object) return false;
  }
  return turned_back;
}

// Does the thread of that event use the same object again before `end`? Then what follows belongs to its next turn.
static bool comes_back(const Case& c, size_t set, size_t end) {
  const auto events = c.trace.events();
  for (size_t i = set + 1; i < std::min(end, events.size()); ++i) {
    if (events[i].thread == events[set].thread && events[i].object == events[set].object) return true;
  }
  return false;
}

std::optional<Published> published_early(const Case& c, const CauseEvent& early, const CauseEvent& late) {
  const auto events = c.trace.events();
  if (early.step >= events.size() || early.object != late.object || !is_memory(late.op) || !has(late.op, kWrites)) return std::nullopt;
  const uint32_t who = c.trace.thread_index(early.thread), other = c.trace.thread_index(late.thread);
  for (size_t i = early.step; i-- > 0;) {
    const Event& found = events[i];
    if (found.thread != who || !is_memory(found.op) || !reads(found) || found.object == early.object) continue;
    const bool pointer = (found.flags & kPointer) != 0 && leads_to(c.trace, found.value, early.object);
    if (!pointer && !waited_for(c, i, early.object)) continue;
    for (size_t k = i; k-- > 0;) {
      if (events[k].object != found.object || !is_memory(events[k].op) || !writes(events[k])) continue;
      if (events[k].thread != other || c.place(k).empty() || (!pointer && comes_back(c, k, late.step))) break;
      return Published{k, i, pointer};
    }
    break;
  }
  return std::nullopt;
}

// Where a critical section ends that begins with that operation: what matters is done only then.
static std::string section_end(const Case& c, const CauseEvent& taken) {
  if (!is_lock_request(taken.op)) return {};
  for (const Trace* run : {&c.trace, c.passing}) {
    if (run == nullptr) continue;
    bool inside = false;
    for (size_t i = 0; i < run->events().size(); ++i) {
      const Event& e = run->events()[i];
      if (run->thread_id(e) != taken.thread || e.object != taken.object) continue;
      if (inside && is_unlock(e.op)) return run == c.passing ? c.passing_place(i) : c.place(i);
      inside = takes_lock(e) && e.site == taken.site && (run == c.passing || taken.step >= run->events().size() || i == taken.step);
    }
  }
  return {};
}

std::string order_fix(const Case& c, const CauseEvent& early, const CauseEvent& late) {
  if (const auto seen = published_early(c, early, late)) {
    const std::string done = place_of(c, late);
    const std::string sets = c.thread(c.trace.events()[seen->set].thread), finds = c.thread(c.trace.events()[seen->found].thread);
    const std::string rest = done.empty() ? "the rest" : done;
    const std::string what = c.quoted(c.object(c.trace.events()[seen->set]));
    if (!seen->pointer)
      return fmt::format("{} sets {} at {}, by which {} goes on ({}), before it has done {}: do {} first and set {} last.", sets, what,
                         c.place(seen->set), finds, c.place(seen->found), rest, rest, what);
    return fmt::format("{} sets {} at {} before what it points to is complete: do {} first and set it last; {} finds it at {}.", sets, what,
                       c.place(seen->set), rest, finds, c.place(seen->found));
  }
  const uint32_t who = c.trace.thread_index(early.thread), other = c.trace.thread_index(late.thread);
  const std::string a = place_of(c, early), b = place_of(c, late);
  if (a.empty() && b.empty()) return {};
  const std::string until = section_end(c, late);
  const std::string late_words = b.empty()                     ? cause_event_words(c.names, late, false)
                                 : until.empty() || until == b ? b
                                                               : fmt::format("{} to {}", b, until);
  // The late one is the thread that created the early one: it could have done it before.
  const auto events = c.trace.events();
  for (size_t i = 0; i < events.size(); ++i) {
    if (events[i].op == Op::kThreadCreate && events[i].thread == other && who != kNoIndex && c.object(events[i]) == c.thread(who))
      return fmt::format("{} starts {} at {} before it has done {}: do that first, or let {} wait for it before {}.", c.thread(other),
                         c.thread(who), c.place(i), late_words, c.thread(who), a.empty() ? "it goes on" : a);
  }
  const std::string joined = who == kNoIndex || other == kNoIndex ? std::string() : c.join_place(other, who);
  if (!joined.empty() && joined != a)
    return fmt::format("{} must wait for {} before {}: join it there (not only at {}), or wait on a condition that {} sets after {}.",
                       c.thread(who), c.thread(other), a.empty() ? "that" : a, joined, c.thread(other), until.empty() ? late_words : until);
  return fmt::format("{} must not reach {} before {} has executed {}: let it wait for that (a condition, a semaphore or a join).",
                     c.thread(who), a.empty() ? cause_event_words(c.names, early, false) : a,
                     other == kNoIndex ? "the other thread" : c.thread(other), late_words);
}

}  // namespace heddle::report
