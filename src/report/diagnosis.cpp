#include "report/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <csignal>
#include <set>

#include "report/evidence.h"
#include "trace/happens_before.h"

namespace heddle {

const char* words(BugClass kind) {
  switch (kind) {
    case BugClass::kUnknown: return "failure";
    case BugClass::kDeadlock: return "deadlock";
    case BugClass::kLostWakeup: return "lost wake-up";
    case BugClass::kAtomicity: return "atomicity violation";
    case BugClass::kMultiAtomicity: return "atomicity violation (several variables)";
    case BugClass::kOrder: return "order violation";
    case BugClass::kUseAfterFree: return "use after free or teardown";
    case BugClass::kDataRace: return "data race";
    case BugClass::kLivelock: return "livelock";
    case BugClass::kMisuse: return "lock misuse";
  }
  return "failure";
}

const char* rule_name(BugClass kind) {
  switch (kind) {
    case BugClass::kUnknown: return "unknown";
    case BugClass::kDeadlock: return "deadlock";
    case BugClass::kLostWakeup: return "lost-wakeup";
    case BugClass::kAtomicity: return "atomicity-violation";
    case BugClass::kMultiAtomicity: return "multi-variable-atomicity-violation";
    case BugClass::kOrder: return "order-violation";
    case BugClass::kUseAfterFree: return "use-after-free";
    case BugClass::kDataRace: return "data-race";
    case BugClass::kLivelock: return "livelock";
    case BugClass::kMisuse: return "lock-misuse";
  }
  return "unknown";
}

const char* advice(BugClass kind) {
  switch (kind) {
    case BugClass::kUnknown: return "The evidence does not single out a known kind of bug.";
    case BugClass::kDeadlock:
      return "Threads wait for each other in a circle: take the locks in one order everywhere, or not both at once.";
    case BugClass::kLostWakeup:
      return "A wake-up came when nobody waited for it, or woke the wrong thread: test the condition under the lock, in a loop, and wake "
             "all who may be meant.";
    case BugClass::kAtomicity: return "What was read was used after others could change it: one critical section must cover both.";
    case BugClass::kMultiAtomicity:
      return "Values that belong together were seen half changed: one critical section must cover all of them.";
    case BugClass::kOrder:
      return "One thread relies on another having come first, and nothing makes it so: wait for it, or do it before the thread can run.";
    case BugClass::kUseAfterFree: return "It is freed or torn down while another thread still uses it: end or wait for the users first.";
    case BugClass::kDataRace: return "Two threads access it at once, one of them writing, with no lock in common.";
    case BugClass::kLivelock: return "The threads keep giving way to each other and none gets on.";
    case BugClass::kMisuse: return "A lock is used in a way that its rules forbid.";
  }
  return "";
}

std::string Diagnosis::title() const { return subject.empty() ? words(kind) : fmt::format("{} on `{}`", words(kind), subject); }

std::string assertion_text(const std::string& message) {
  // "expression (file:line, function)", as the runtime says it, or as the C library prints it.
  if (const size_t open = message.find("Assertion `"); open != std::string::npos) {
    const size_t begin = open + 11;
    const size_t end = message.rfind("' failed");
    if (end != std::string::npos && end >= begin) return message.substr(begin, end - begin);
  }
  for (size_t at = message.rfind(" ("); at != std::string::npos && at > 0; at = message.rfind(" (", at - 1)) {
    const size_t colon = message.find(':', at);
    const size_t comma = message.find(", ", at);
    if (colon != std::string::npos && comma != std::string::npos && colon < comma && message.find(' ', at + 2) > colon)
      return message.substr(0, at);
  }
  return {};
}

std::string short_ending(const Names& names) {
  const Outcome& o = names.trace().outcome();
  const std::string place = o.stack.empty() ? std::string() : names.place(o.stack);
  std::string text;
  switch (o.kind) {
    case OutcomeKind::kAssert: {
      const std::string expression = assertion_text(o.message);
      text = expression.empty() ? "assert" : "assert " + expression;
      break;
    }
    case OutcomeKind::kExit:
      text = fmt::format("exit code {}{}{}", o.code, o.message.empty() ? "" : ": ", plain_line(o.message, 80));
      break;
    case OutcomeKind::kSignal: {
      const char* abbreviation = ::sigabbrev_np(o.code);
      text = abbreviation == nullptr ? fmt::format("signal {}", o.code) : fmt::format("SIG{}", abbreviation);
      break;
    }
    case OutcomeKind::kDeadlock:
    case OutcomeKind::kLivelock: return {};
    default: text = fmt::format("{}{}{}", name(o.kind), o.message.empty() ? "" : ": ", plain_line(o.message, 100));
  }
  return place.empty() || place == "?" ? text : fmt::format("{}, {}", text, place);
}

namespace {

// Variables of the program that the failed assertion speaks of, the first first. Calls and macros in capitals are none.
std::string asserted_variable(const std::string& expression) {
  static const std::set<std::string> kWords = {"true", "false",  "nullptr", "NULL", "not",        "and",
                                               "or",   "sizeof", "const",   "this", "static_cast"};
  for (size_t at = 0; at < expression.size();) {
    const auto c = static_cast<unsigned char>(expression[at]);
    if (c == '"') {
      at = std::min(expression.size(), expression.find('"', at + 1)) + 1;
      continue;
    }
    if (!std::isalpha(c) && c != '_') {
      // Digits with their suffixes are no names.
      if (std::isdigit(c)) {
        while (at < expression.size() && std::isalnum(static_cast<unsigned char>(expression[at]))) ++at;
      } else {
        ++at;
      }
      continue;
    }
    size_t end = at;
    auto in_name = [&](size_t i) {
      const auto n = static_cast<unsigned char>(expression[i]);
      return std::isalnum(n) || n == '_' || n == '.' || (n == '-' && i + 1 < expression.size() && expression[i + 1] == '>') ||
             (n == '>' && i > 0 && expression[i - 1] == '-');
    };
    while (end < expression.size() && in_name(end)) ++end;
    std::string word = expression.substr(at, end - at);
    at = end;
    if (kWords.contains(word)) continue;
    if (end < expression.size() && expression[end] == '(') {
      // "queue.empty()": the object is what the assertion is about; "atomic_load(&x)": its argument, found next.
      const size_t dot = word.find_last_of(".>");
      if (dot == std::string::npos) continue;
      return word.substr(0, word[dot] == '>' ? dot - 1 : dot);
    }
    if (end < expression.size() && expression.compare(end, 2, "::") == 0) continue;
    return word;
  }
  return {};
}

bool is_destruction(Op op) { return op == Op::kFree || op == Op::kMutexDestroy || op == Op::kCondDestroy || op == Op::kRwDestroy; }

class Doctor {
 public:
  Doctor(Names& names, const Cause* cause) : names_(names), trace_(names.trace()), cause_(cause) {}

  Diagnosis go() {
    d_.ending = short_ending(names_);
    switch (trace_.outcome().kind) {
      case OutcomeKind::kDeadlock: deadlock(); break;
      case OutcomeKind::kLivelock: livelock(); break;
      case OutcomeKind::kMisuse: misuse(); break;
      default: interleaving(); break;
    }
    if (cause_ != nullptr && cause_->kind != CauseKind::kNone) {
      d_.claim = claim_sentence(names_, *cause_);
      if (cause_->kind == CauseKind::kWindow && cause_->first.step < trace_.events().size()) d_.deciding = cause_->first.step;
    }
    if (d_.deciding == kNoDifference) {
      if (const auto window = deciding_window(trace_, nullptr)) d_.deciding = window->last;
    }
    if (d_.why.empty()) d_.why = switches_sentence(names_);
    return std::move(d_);
  }

 private:
  std::string thread(uint32_t index) const { return names_.thread(index); }

  void line(size_t step, const std::string& what) {
    const Event& e = trace_.events()[step];
    if (names_.own_place(e.site).empty()) return;
    for (const DecidingLine& known : d_.lines) {
      if (known.site == e.site && known.thread == e.thread) return;
    }
    d_.lines.push_back({e.site, e.thread, fmt::format("{} {} (step {})", thread(e.thread), what, step + 1), step});
  }

  void deadlock() {
    d_.waits = wait_edges(names_);
    const auto threads = trace_.threads();
    const bool cycle = std::any_of(d_.waits.begin(), d_.waits.end(), [](const WaitEdge& w) { return w.in_cycle; });
    // A thread that sleeps on a condition while it holds a lock that another waits for: only that other could have woken it.
    const bool nested = std::any_of(d_.waits.begin(), d_.waits.end(), [&](const WaitEdge& w) {
      return w.holder != kNoIndex && w.holder < threads.size() && row(threads[w.holder].pending).family == Family::kConditions;
    });
    const WakeUps wake = wake_ups(trace_);
    size_t waiting = 0, others = 0;
    for (uint32_t i = 1; i < threads.size(); ++i) {
      if (threads[i].state == ThreadState::kFinished || threads[i].state == ThreadState::kRemoved) continue;
      ++others;
      const Family family = row(threads[i].pending).family;
      waiting += family == Family::kConditions || family == Family::kSemaphores || family == Family::kFutexes;
    }
    if (cycle || nested) {
      d_.kind = BugClass::kDeadlock;
    } else if (wake.lost != kNoDifference || wake.misdirected != kNoDifference) {
      d_.kind = BugClass::kLostWakeup;
    } else if (others >= 2 && waiting == others && trace_.threads().size() == others + 1) {
      d_.kind = BugClass::kDeadlock;  // all are still there, and each waits for what only another could do
    } else if (waiting > 0 || (!threads.empty() && row(threads[0].pending).family == Family::kConditions)) {
      d_.kind = BugClass::kLostWakeup;
    } else {
      d_.kind = BugClass::kDeadlock;
    }
    for (const WaitEdge& w : d_.waits) {
      if (d_.kind == BugClass::kLostWakeup && row(w.op).family != Family::kMutexes && d_.subject.empty())
        d_.subject = names_.object(w.object, w.op);
    }
    if (d_.kind == BugClass::kLostWakeup) {
      if (wake.lost != kNoDifference) {
        const Event& e = trace_.events()[wake.lost];
        d_.why = fmt::format("{} {} at {} (step {}) while nobody waited; ", thread(e.thread), names_.operation(e), names_.place(e.site),
                             wake.lost + 1);
        line(wake.lost, "wakes nobody here");
      } else if (wake.misdirected != kNoDifference) {
        const Event& e = trace_.events()[wake.misdirected];
        d_.why = fmt::format("{} {} at {} (step {}), which woke one thread while others wait; ", thread(e.thread), names_.operation(e),
                             names_.place(e.site), wake.misdirected + 1);
        line(wake.misdirected, "wakes one thread only, here");
      }
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
      // The caller too: the wait itself is often in a function that does nothing else.
      const auto own = names_.own_sites(t.stack.empty() ? std::vector<SiteId>{t.site} : t.stack);
      if (!own.empty())
        d_.lines.push_back(
            {own[0], w.thread, fmt::format("{} waits here for ever", thread(w.thread)), kNoDifference});
      if (own.size() > 1)
        d_.lines.push_back(
            {own[1], w.thread, fmt::format("on the way there in {}", thread(w.thread)), kNoDifference});
      if (w.holder != kNoIndex && t.holder_site != kNoSite && !names_.own_place(t.holder_site).empty())
        d_.lines.push_back({t.holder_site, w.holder, fmt::format("{} took it here", thread(w.holder)), kNoDifference});
    }
  }

  void livelock() {
    d_.kind = BugClass::kLivelock;
    // Who spins where: the last events of each thread.
    std::set<SiteId> told;
    const auto events = trace_.events();
    std::string text;
    for (size_t i = events.size(); i-- > 0 && events.size() - i < 400;) {
      const Event& e = events[i];
      if (names_.own_place(e.site).empty() || told.size() >= 4 || !told.insert(e.site).second) continue;
      if ((e.flags & (kSpin | kFailed)) == 0 && e.op != Op::kYield) continue;
      if (!text.empty()) text += "; ";
      text += fmt::format("{} {} at {} over and over", thread(e.thread), names_.operation(e), names_.place(e.site));
      line(i, "tries again and again here");
      if (d_.subject.empty() && e.object != kNoObject) d_.subject = names_.object(e.object, e.op);
    }
    d_.why = text.empty() ? "the threads repeat the same operations and none gets on" : text;
  }

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
      if (!names_.own_place(o.memory.freed).empty())
        d_.lines.push_back({o.memory.freed, o.memory.freed_by == kNoThreadIndex ? 0 : o.memory.freed_by, "freed here", kNoDifference});
      if (!names_.own_place(o.memory.used).empty())
        d_.lines.push_back({o.memory.used, o.thread, fmt::format("{} uses it here", thread(o.thread)), kNoDifference});
    }
    // What stood between: the switch that let it happen.
    if (const auto window = deciding_window(trace_, cause_)) {
      line(window->last, "was stopped after this");
      if (window->next < trace_.events().size()) line(window->next, "goes on here");
    }
  }

  // Torn down by one thread, then used by another that crashes on it.
  bool torn_down() {
    const Outcome& o = trace_.outcome();
    const auto events = trace_.events();
    if (o.kind != OutcomeKind::kSignal && o.kind != OutcomeKind::kAbort) return false;
    if (o.kind == OutcomeKind::kAbort) {
      if (o.message.find("free") == std::string::npos) return false;
      d_.kind = BugClass::kUseAfterFree;
      return true;
    }
    for (size_t i = events.size(); i-- > 0;) {
      if (!is_destruction(events[i].op) || events[i].thread == o.thread) continue;
      d_.kind = BugClass::kUseAfterFree;
      d_.subject = names_.object(events[i].object, events[i].op);
      d_.why = fmt::format("{} {} at {} (step {}); {} still used it{}", thread(events[i].thread), names_.operation(events[i]),
                           names_.place(events[i].site), i + 1, thread(o.thread), o.stack.empty() ? "" : " at " + names_.place(o.stack));
      line(i, "tears it down here");
      return true;
    }
    return false;
  }

  // Something read, or a lock left, before the switch; changed by others; used after it.
  void interleaving() {
    const std::string asserted = asserted_variable(assertion_text(trace_.outcome().message));
    if (torn_down()) {
      if (const auto window = deciding_window(trace_, cause_)) {
        line(window->last, "was stopped after this");
        if (window->next < trace_.events().size()) line(window->next, "goes on here");
      }
      stack_line();
      return;
    }
    if (cause_ != nullptr && cause_->kind == CauseKind::kOrder) {
      order(asserted);
      return;
    }
    const auto window = deciding_window(trace_, cause_);
    if (!window) {
      d_.subject = asserted;
      stack_line();
      return;
    }
    const Triple t = best_triple(trace_, *window);
    classify(*window, t, asserted);
    stack_line();
  }

  void classify(const Window& w, const Triple& t, const std::string& asserted) {
    const auto events = trace_.events();
    const Event& before = events[w.last];
    if (before.op == Op::kThreadCreate || before.op == Op::kThreadStart) {
      d_.kind = BugClass::kOrder;
    } else if (t.between == kNoDifference) {
      if (w.different_locks) {
        d_.kind = BugClass::kDataRace;
        if (w.other_lock < events.size()) line(w.other_lock, "takes another lock here");
      } else {
        d_.kind = w.next < events.size() ? BugClass::kUnknown : BugClass::kOrder;
      }
    } else if (t.after == kNoDifference && t.before != kNoDifference && stands_before_touched(w)) {
      // It never went on, but what it was about to do is on something that the others used meanwhile.
      const bool same = trace_.threads()[w.thread].object == events[t.before].object;
      d_.kind = same ? BugClass::kAtomicity : BugClass::kMultiAtomicity;
    } else if (t.before == kNoDifference || t.after == kNoDifference) {
      d_.kind = BugClass::kOrder;
    } else if (is_memory(events[t.between].op)) {
      const Event& a = events[t.before];
      const Event& b = events[t.after];
      const bool publishes = writes(a) && writes(b) && a.object != b.object && !t.written_between;
      const bool plain = row(events[t.between].op).family == Family::kMemory && row(b.op).family == Family::kMemory;
      d_.kind = publishes              ? BugClass::kOrder
                : a.object != b.object ? BugClass::kMultiAtomicity
                : plain                ? BugClass::kDataRace
                                       : BugClass::kAtomicity;
    } else {
      // Only locks are seen. Stopped while it holds one that the others do not ask for, and they hold others: no lock in common.
      d_.kind = w.different_locks                                   ? BugClass::kDataRace
                : events[t.before].object != events[t.after].object ? BugClass::kMultiAtomicity
                                                                    : BugClass::kAtomicity;
    }
    d_.subject = subject_of(t, asserted);
    d_.why = triple_sentence(names_, w, t);
    // The act comes first: it is the line that one mends.
    const size_t first = t.before != kNoDifference ? t.before : w.last;
    const size_t after = t.after != kNoDifference ? t.after : w.next;
    line(first, "was here before the switch");
    if (after < events.size()) {
      line(after, "acts here, too late");
    } else if (const Thread& stopped = trace_.threads()[w.thread]; !names_.own_place(stopped.site).empty()) {
      d_.lines.push_back({stopped.site, w.thread, fmt::format("{} stood before this", thread(w.thread)), kNoDifference});
    }
    if (t.between != kNoDifference) line(t.between, "comes in between here");
  }

  // Did the others, while it was stopped, use what it would have taken next?
  bool stands_before_touched(const Window& w) const {
    const Thread& t = trace_.threads()[w.thread];
    const auto events = trace_.events();
    if (w.next < events.size() || t.object == kNoObject || row(t.pending).family == Family::kThreads) return false;
    for (size_t i = w.last + 1; i < events.size(); ++i) {
      if (events[i].thread != w.thread && events[i].object == t.object) return true;
    }
    return false;
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
    if (a.step < trace_.events().size()) line(a.step, "comes first here");
    if (b.step < trace_.events().size()) {
      line(b.step, "comes later here");
    } else if (!names_.own_place(b.site).empty()) {
      d_.lines.push_back({b.site, trace_.thread_index(b.thread), "would have come first in a passing run", kNoDifference});
    }
    stack_line();
  }

  void stack_line() {
    const Outcome& o = trace_.outcome();
    const SiteId site = names_.own_site(o.stack);
    if (site == kNoSite) return;
    for (const DecidingLine& known : d_.lines) {
      if (names_.place(known.site) == names_.place(site)) return;
    }
    d_.lines.push_back({site, o.thread, fmt::format("{} fails here", thread(o.thread)), kNoDifference});
  }

  Names& names_;
  const Trace& trace_;
  const Cause* cause_;
  Diagnosis d_;
};

}  // namespace

Diagnosis diagnose(Names& names, const Cause* cause) { return Doctor(names, cause).go(); }

}  // namespace heddle
