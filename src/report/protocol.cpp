#include "report/protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <string_view>

#include "report/waits.h"
#include "trace/happens_before.h"
#include "trace/locks.h"

namespace heddle::report {

namespace {

bool failed_request(const Event& e) {
  const bool asks = is_lock_request(e.op) || e.op == Op::kSemTryWait || e.op == Op::kSemTimedWait;
  return asks && (e.flags & (kFailed | kTimedOut)) != 0;
}
bool takes(const Event& e) {
  return takes_lock(e) ||
         ((e.op == Op::kSemWait || e.op == Op::kSemTryWait || e.op == Op::kSemTimedWait) && (e.flags & (kFailed | kTimedOut)) == 0);
}

std::string source_of(const Case& c, size_t step) {
  const auto calls = c.names.calls(step);
  return calls.empty() ? std::string() : c.names.symbols().source_statement(calls.front().file, calls.front().line).value_or("");
}

// Calls that may come back without what they were made for.
constexpr const char* kLimited[] = {"try", "timed", "wait_for", "wait_until", "clockwait"};

// Is the call a statement of its own, so that nobody looks at its answer? "sem_trywait(&s);", "m.try_lock_for(1ms);", "(void)...".
bool ignores_answer(std::string text) {
  if (text.rfind("(void)", 0) == 0) text.erase(0, 6);
  text.erase(0, text.find_first_not_of(' '));
  const size_t open = text.find('(');
  if (open == std::string::npos) return false;
  const std::string called = text.substr(0, open);
  const bool plain = std::all_of(called.begin(), called.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || std::string_view("_.->:[]").find(c) != std::string_view::npos;
  });
  const bool limited =
      std::any_of(std::begin(kLimited), std::end(kLimited), [&](const char* word) { return called.find(word) != std::string::npos; });
  return plain && limited;
}

// A wait whose condition the library tests came back without it, and nobody looks at that.
bool took_no_notice_of_the_end(Case& c, size_t wait, const std::string& asserted) {
  const Event& e = c.trace.events()[wait];
  if ((e.flags & kTimedOut) == 0 || !ignores_answer(source_of(c, wait))) return false;
  c.d.kind = BugClass::kIgnoredTimeout;
  c.d.subject = asserted.empty() ? c.object(e) : asserted;
  c.d.why = fmt::format("{} and goes on although what it waited for has not happened", c.happened(wait));
  c.d.fix = fmt::format("The wait at {} also ends when its time is over: test its result, and go on only if what {} waited for is there.",
                        c.place(wait), c.thread(e.thread));
  c.lines.event(wait, "is back here because the time is over");
  return true;
}

}  // namespace

// Does the source test the condition again after the wait? The loop stands on the line of the wait or opens just above it, or is the
// library's own.
bool in_loop(const Case& c, size_t step) {
  const auto calls = c.names.calls(step);
  if (calls.empty()) return true;
  for (int line = calls.front().line; line > 0 && line + 2 > calls.front().line; --line) {
    const std::string text = c.names.symbols().source_line(calls.front().file, line).value_or("");
    for (const char* word : {"while", "for (", "for(", "[&", "[this", "[=", "[]", "do {"}) {
      if (text.find(word) != std::string::npos) return true;
    }
  }
  return false;
}

bool released_after_failed_try(Case& c) {
  const auto events = c.trace.events();
  std::map<std::pair<uint32_t, ObjectId>, size_t> failed;
  for (size_t i = 0; i < events.size(); ++i) {
    const Event& e = events[i];
    const std::pair key(e.thread, e.object);
    if (failed_request(e)) {
      failed[key] = i;
    } else if (takes(e)) {
      failed.erase(key);
    } else if ((is_unlock(e.op) || e.op == Op::kSemPost) && failed.contains(key)) {
      const size_t tried = failed[key];
      const auto a = c.names.calls(tried), b = c.names.calls(i);
      // A post elsewhere may be a hand-over that has nothing to do with the try.
      if (e.op == Op::kSemPost && (a.empty() || b.empty() || a.front().function != b.front().function)) continue;
      const bool lock = is_unlock(e.op);
      c.d.kind = BugClass::kMisuse;
      c.d.subject = c.object(e);
      c.d.why = fmt::format("{}, and {} anyway (step {}), which it did not get", c.happened(tried), c.names.operation(e) + c.at(i), i + 1);
      c.d.fix = fmt::format("{} {} at {} only if the {} at {} succeeded: test its result.", lock ? "Unlock" : "Post", c.quoted(c.d.subject),
                            c.place(i), has(events[tried].op, kTimed) ? "timed request" : "try", c.place(tried));
      c.lines.event(i, lock ? "releases here what it does not hold" : "posts here what it did not get");
      c.lines.event(tried, "does not get it here");
      return true;
    }
  }
  return false;
}

bool went_on_without_lock(Case& c) {
  const auto events = c.trace.events();
  for (size_t i = 0; i < events.size(); ++i) {
    const Event& e = events[i];
    if (!failed_request(e)) continue;
    // What others do under that lock; then what the thread does with the same things after it did not get it.
    HeldLocks locks(c.trace.threads().size());
    std::map<ObjectId, size_t> guarded;
    for (size_t k = 0; k < events.size(); ++k) {
      const Event& other = events[k];
      locks.step(k, other);
      const auto& held = locks.held(other.thread);
      const bool has_it = std::any_of(held.begin(), held.end(), [&](const HeldLock& h) { return h.object == e.object; });
      if (other.thread != e.thread && is_memory(other.op) && has_it) guarded.emplace(other.object, k);
    }
    size_t used = kNoDifference;
    for (size_t k = i + 1; k < events.size() && used == kNoDifference; ++k) {
      if (events[k].thread != e.thread) continue;
      if (takes(events[k]) && events[k].object == e.object) break;
      const auto at = guarded.find(events[k].object);
      if (at != guarded.end() && events_conflict(events[k], events[at->second])) used = k;
    }
    // Where accesses are not seen, the source says whether anybody looks at the answer.
    const std::string text = source_of(c, i);
    const bool ignored = ignores_answer(text);
    if (used == kNoDifference && !ignored) continue;
    c.d.kind = BugClass::kMisuse;
    c.d.subject = c.object(e);
    c.d.why = c.happened(i) + (used == kNoDifference ? std::string(" and goes on without it")
                                                     : fmt::format(" and goes on without it: {}", c.happened(used)));
    c.d.fix = fmt::format("Test the result of the request at {}: {} goes on only if it has {}.", c.place(i), c.thread(e.thread),
                          c.quoted(c.d.subject));
    c.lines.event(i, "does not get it here");
    if (used != kNoDifference) {
      c.lines.event(used, "uses without the lock what it guards");
      c.lines.event(guarded[events[used].object], "uses it under the lock");
    }
    return true;
  }
  return false;
}

// A wait for a future, a latch or a semaphore whose time was over, in a statement that looks at no answer; the passing run did not go on so.
static bool went_on_when_time_was_over(Case& c, const std::string& asserted) {
  const auto events = c.trace.events();
  for (size_t i = events.size(); i-- > 0;) {
    const Event& e = events[i];
    const bool over = (e.flags & kTimedOut) != 0 && has(e.op, kTimed) && row(e.op).family == Family::kFutexes;
    if (!over || !ignores_answer(source_of(c, i))) continue;
    const bool also_in_passing =
        c.passing != nullptr && std::any_of(c.passing->events().begin(), c.passing->events().end(), [&](const Event& p) {
          return p.site == e.site && c.passing->thread_id(p) == c.trace.thread_id(e) && (p.flags & kTimedOut) != 0;
        });
    if (also_in_passing || c.passing == nullptr) continue;
    return took_no_notice_of_the_end(c, i, asserted);
  }
  return false;
}

bool untested_wait(Case& c, const std::string& asserted) {
  if (went_on_when_time_was_over(c, asserted)) return true;
  const auto events = c.trace.events();
  // The thread that failed first; then any other, which may have spoilt what it failed on.
  std::vector<uint32_t> order{c.trace.outcome().thread};
  for (uint32_t t = 0; t < c.trace.threads().size(); ++t) {
    if (t != order.front()) order.push_back(t);
  }
  for (uint32_t thread : order) {
    for (size_t i = events.size(); i-- > 0;) {
      const Event& e = events[i];
      if (e.thread != thread || (e.op != Op::kCondTimedReacquire && e.op != Op::kCondReacquire)) continue;
      if ((e.flags & (kTimedOut | kSpurious)) == 0) break;
      if (in_loop(c, i)) {
        if (thread == order.front() && took_no_notice_of_the_end(c, i, asserted)) return true;
        break;
      }
      const bool timed = (e.flags & kTimedOut) != 0;
      c.d.kind = BugClass::kUntestedWait;
      c.d.subject = asserted.empty() ? c.object(e) : asserted;
      c.d.why = fmt::format("{} and goes on although what it waited for has not happened", c.happened(i));
      c.d.fix = fmt::format("The wait at {} also ends {}: test the condition again after it, in a loop{}.", c.place(i),
                            timed ? "when its time is over" : "without a wake-up", timed ? ", and look at its result" : "");
      c.lines.event(i, "waits here, and does not look again");
      return true;
    }
    const auto stale = stale_wake(c.trace, thread, events.size());
    if (!stale || in_loop(c, stale->wake)) continue;
    // No operation of its own since, if it is the one that failed: what failed is what it woke up for.
    const bool did_more = thread == c.trace.outcome().thread &&
                          std::any_of(events.begin() + static_cast<std::ptrdiff_t>(stale->wake) + 1, events.end(), [&](const Event& e) {
                            return e.thread == thread && !is_memory(e.op) && !is_unlock(e.op) && e.op != Op::kExit;
                          });
    if (did_more) continue;
    const Event& wake = events[stale->wake];
    c.d.kind = BugClass::kUntestedWait;
    c.d.subject = asserted.empty() ? c.object(wake) : asserted;
    c.d.why = fmt::format("{}; {} before {} had the lock back (step {}), which goes on without testing its condition again",
                          c.happened(stale->signal), c.happened(stale->taken), c.thread(wake.thread), stale->wake + 1);
    c.d.fix = fmt::format(
        "Use `while` instead of `if` around the wait at {}: between the wake-up at {} and its return another thread may take what it "
        "waited for (here {} at {}).",
        c.place(stale->wake), c.place(stale->signal), c.thread(events[stale->taken].thread), c.place(stale->taken));
    c.lines.event(stale->wake, "waits here, and does not look again");
    c.lines.event(stale->taken, "comes first here");
    c.lines.event(stale->signal, "wakes it here");
    return true;
  }
  return false;
}

}  // namespace heddle::report
