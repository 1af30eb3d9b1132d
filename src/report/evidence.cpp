#include "report/evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "trace/clean_text.h"
#include "trace/enabled.h"
#include "trace/happens_before.h"
#include "trace/locks.h"

namespace heddle::report {

namespace {

std::optional<Window> window_after(const Trace& trace, size_t slice) {
  const auto slices = trace.slices();
  if (slice + 1 >= slices.size()) return std::nullopt;
  size_t back = slice + 1;
  while (back < slices.size() && slices[back].thread != slices[slice].thread) ++back;
  Window w{slices[slice].thread, slices[slice].end - 1, back < slices.size() ? slices[back].begin : trace.events().size()};
  HeldLocks locks(trace.threads().size());
  std::set<ObjectId> own, theirs, ever;
  for (size_t i = 0; i < w.next; ++i) {
    const Event& e = trace.events()[i];
    locks.step(i, e);
    if (i <= w.last && e.thread == w.thread && takes_lock(e)) ever.insert(e.object);
    if (i == w.last) {
      for (const HeldLock& lock : locks.held(w.thread)) {
        own.insert(lock.object);
        w.own_lock = lock.event;
      }
    }
    if (i > w.last && takes_lock(e)) {
      theirs.insert(e.object);
      if (w.other_lock == kNoDifference) w.other_lock = i;
    }
  }
  w.different_locks =
      !own.empty() && !theirs.empty() && std::none_of(own.begin(), own.end(), [&](ObjectId o) { return theirs.contains(o); });
  w.common_lock = std::any_of(ever.begin(), ever.end(), [&](ObjectId o) { return theirs.contains(o); });
  return w;
}

}  // namespace

std::optional<Window> deciding_window(const Trace& trace, const Cause* cause) {
  const auto slices = trace.slices();
  if (cause != nullptr && cause->kind == CauseKind::kWindow && cause->first.step < trace.events().size()) {
    // The window may begin before the switch of this very run, and may begin with the thread's own first operation in it.
    for (size_t i = slices.size(); i-- > 0;) {
      if (!slices[i].preempted_paper || trace.threads()[slices[i].thread].id != cause->first.thread) continue;
      auto w = window_after(trace, i);
      if (!w || w->last < cause->first.step) continue;
      if (cause->second.step < trace.events().size() && w->next > cause->second.step) continue;
      w->last = cause->first.step;
      if (cause->second.step < trace.events().size()) w->next = cause->second.step;
      return w;
    }
  }
  std::optional<Window> left;  // for good
  for (size_t i = slices.size(); i-- > 0;) {
    if (!slices[i].preempted) continue;
    const auto w = window_after(trace, i);
    if (w && w->next < trace.events().size()) return w;
    if (!left) left = w;
  }
  if (left) return left;
  for (size_t i = slices.size(); i-- > 0;) {
    if (const auto w = window_after(trace, i); w && w->next < trace.events().size()) return w;
  }
  return std::nullopt;
}

namespace {

// What surrounds a window: the operations of others in it, and the nearest own ones on either side, by object.
class Surroundings {
 public:
  Surroundings(const Trace& trace, const Window& window) : events_(trace.events()), w_(window) {
    for (size_t i = w_.last + 1; i < w_.next; ++i) {
      if (events_[i].thread != w_.thread && is_relevant(events_[i])) add_between(i);
    }
    for (size_t i = 0; i <= w_.last && i < events_.size(); ++i) {
      if (is_own(i)) before_[events_[i].object] = i;
    }
    for (size_t i = w_.next; i < events_.size(); ++i) {
      if (is_own(i)) after_.try_emplace(events_[i].object, i);
    }
  }

  // The ends of the window that was tested as the cause, where others touched both objects.
  std::optional<Triple> tested(const Cause* cause) const {
    const bool is_cause = cause != nullptr && cause->kind == CauseKind::kWindow && cause->first.step == w_.last &&
                          w_.next < events_.size() && cause->second.step == w_.next;
    if (!is_cause || !is_relevant(events_[w_.last]) || !is_relevant(events_[w_.next])) return std::nullopt;
    const size_t first = middle_of(events_[w_.last].object), second = middle_of(events_[w_.next].object);
    if (first == kNoDifference || second == kNoDifference || !conflict(w_.last, first) || !conflict(second, w_.next)) return std::nullopt;
    if (is_memory(events_[w_.last].op) != is_memory(events_[w_.next].op)) return std::nullopt;
    return triple(w_.last, second, w_.next);
  }

  // All three on one object.
  Triple of_one_object() const {
    Triple best;
    int best_score = 0;
    for (const auto& [object, touch] : between_) {
      const size_t middle = touch.middle();
      const size_t b = place_in(before_, object), a = place_in(after_, object);
      const bool has_before = b != kNoDifference && conflict(b, middle);
      const bool has_after = a != kNoDifference && conflict(middle, a);
      if (!has_before && !has_after) continue;
      const int score = (is_memory(events_[middle].op) ? 4 : 0) + (b != kNoDifference && a != kNoDifference ? 8 : 0) +
                        (touch.write != kNoDifference ? 1 : 0) + (a != kNoDifference && a == w_.next ? 2 : 0) +
                        (b != kNoDifference && b == w_.last ? 2 : 0);
      if (score <= best_score) continue;
      best_score = score;
      best = triple(b, middle, a);
    }
    return best;
  }

  // Two objects that belong together: one before, another after, and the others touched both.
  std::optional<Triple> of_two_objects() const {
    size_t own = w_.last + 1;
    while (own-- > 0) {
      if (is_own(own) && between_.contains(events_[own].object)) break;
    }
    if (own == kNoDifference) return std::nullopt;
    std::map<size_t, ObjectId> nearest;
    for (const auto& [object, step] : after_) nearest.emplace(step, object);
    for (const auto& [step, object] : nearest) {
      const size_t middle = middle_of(object);
      if (middle == kNoDifference || is_memory(events_[middle].op) != is_memory(events_[own].op)) continue;
      if (conflict(own, middle_of(events_[own].object)) && conflict(middle, step)) return triple(own, middle, step);
    }
    return std::nullopt;
  }

 private:
  struct Touch {
    size_t first;
    size_t write = kNoDifference;
    size_t middle() const { return write != kNoDifference ? write : first; }
  };

  static bool is_relevant(const Event& e) {
    return e.object != kNoObject && row(e.op).family != Family::kThreads && row(e.op).family != Family::kCode;
  }
  bool is_own(size_t i) const { return events_[i].thread == w_.thread && is_relevant(events_[i]); }

  void add_between(size_t i) {
    const Event& e = events_[i];
    Touch& touch = between_.try_emplace(e.object, Touch{i}).first->second;
    // Of what comes in between the taking of a lock tells more than its release.
    if (writes(e) || (touch.write == kNoDifference && is_lock_request(e.op))) touch.write = i;
  }

  bool conflict(size_t a, size_t b) const {
    const Event &x = events_[a], &y = events_[b];
    if (is_memory(x.op) && is_memory(y.op)) return writes(x) || writes(y);
    return true;  // locks, conditions: whoever comes first changes what the other finds
  }

  static size_t place_in(const std::map<ObjectId, size_t>& places, ObjectId object) {
    const auto at = places.find(object);
    return at == places.end() ? kNoDifference : at->second;
  }
  size_t middle_of(ObjectId object) const {
    const auto touched = between_.find(object);
    return touched == between_.end() ? kNoDifference : touched->second.middle();
  }
  Triple triple(size_t before, size_t middle, size_t after) const {
    return {before, middle, after, is_memory(events_[middle].op) && writes(events_[middle])};
  }

  std::span<const Event> events_;
  const Window& w_;
  std::map<ObjectId, Touch> between_;
  std::map<ObjectId, size_t> before_, after_;
};

}  // namespace

// A window may end later than where its thread came back: what it did then is after the others, too.
static Window up_to_its_return(const Trace& trace, Window w) {
  const auto events = trace.events();
  size_t other = w.last + 1;
  while (other < std::min(w.next, events.size()) && events[other].thread == w.thread) ++other;
  size_t back = other;
  while (back < std::min(w.next, events.size()) && events[back].thread != w.thread) ++back;
  if (back > other && back < w.next) w.next = back;
  return w;
}

static Triple triple_around(const Surroundings& around) {
  const Triple best = around.of_one_object();
  if (best.before != kNoDifference && best.after != kNoDifference) return best;
  return around.of_two_objects().value_or(best);
}

Triple best_triple(const Trace& trace, const Window& w, const Cause* cause) {
  const Surroundings around(trace, w);
  if (const std::optional<Triple> tested = around.tested(cause)) return *tested;
  const Triple best = triple_around(around);
  if (best.before != kNoDifference && best.after != kNoDifference) return best;
  const Window narrow = up_to_its_return(trace, w);
  if (narrow.next == w.next) return best;
  const Triple nearer = triple_around(Surroundings(trace, narrow));
  return nearer.before != kNoDifference && nearer.after != kNoDifference ? nearer : best;
}

bool failed_after_release(const Trace& trace, const Window& w) {
  const auto events = trace.events();
  if (trace.outcome().thread != w.thread || !is_unlock(events[w.last].op) || w.next >= events.size()) return false;
  if (events[w.next].op != Op::kReleased || events[w.next].object != events[w.last].object) return false;
  return std::none_of(events.begin() + static_cast<std::ptrdiff_t>(w.next) + 1, events.end(),
                      [&](const Event& e) { return e.thread == w.thread; });
}

std::string triple_sentence(Names& names, const Window& w, const Triple& t) {
  const auto events = names.trace().events();
  auto shown = [&](size_t i) {
    return fmt::format("{}{} (step {})", names.operation(events[i]),
                       names.own_place(events[i].site).empty() ? "" : " at " + names.place(events[i].site), i + 1);
  };
  if (t.between == kNoDifference && w.different_locks && w.other_lock < events.size()) {
    return fmt::format("{} {} and was stopped while it held it; {} {} meanwhile: the two have no lock in common", names.thread(w.thread),
                       shown(w.last), names.thread(events[w.other_lock].thread), shown(w.other_lock));
  }
  if (t.between == kNoDifference) {
    std::string text = fmt::format("{} was stopped after it {}", names.thread(w.thread), shown(w.last));
    size_t other = w.last + 1;
    while (other < events.size() && events[other].thread == w.thread) ++other;
    if (other < events.size()) text += fmt::format(", and {} ran", names.thread(events[other].thread));
    return text;
  }
  const std::string who = names.thread(w.thread);
  const std::string other = names.thread(events[t.between].thread);
  std::string text = fmt::format("{} {}", who, shown(t.before != kNoDifference ? t.before : w.last));
  text += fmt::format("; {} {}", other, shown(t.between));
  if (t.after != kNoDifference) {
    text += fmt::format(" before {} {}", who, shown(t.after));
  } else if (w.next < events.size()) {
    text += fmt::format(" before {} {}", who, shown(w.next));
  } else {
    text += fmt::format(" before {} went on", who);
  }
  return text;
}

std::string cause_event_words(Names& names, const CauseEvent& e, bool with_place) {
  const uint32_t index = names.trace().thread_index(e.thread);
  std::string text = fmt::format("{} {}", names.thread(index), names.operation(e.op, e.object));
  if (with_place && !names.own_place(e.site).empty()) text += " at " + names.place(e.site);
  return text;
}

namespace {

// What the claim is about, as a condition: "T2 locks m (a.c:9) between a.c:5 and a.c:6 of T1".
std::string claim_condition(Names& names, const Cause& c) {
  auto place = [&](const CauseEvent& e) {
    return e.site == kNoSite || names.own_place(e.site).empty() ? cause_event_words(names, e, false) : names.place(e.site);
  };
  if (c.kind == CauseKind::kOrder)
    return fmt::format("{} before {}", cause_event_words(names, c.first, true), cause_event_words(names, c.second, true));
  const std::string who = c.any_thread ? "another thread" : names.thread(names.trace().thread_index(c.other));
  const std::string thread = c.any_thread ? "a thread" : names.thread(names.trace().thread_index(c.first.thread));
  const std::string from = place(c.first), to = place(c.second);
  std::string does = "runs";
  if (c.between.op != Op::kNone) {
    does = names.operation(c.between.op, c.between.object);
    if (!names.own_place(c.between.site).empty()) does += fmt::format(" ({})", names.place(c.between.site));
  }
  // One line twice: a loop, or several operations of one statement.
  if (c.first.op == Op::kNone) return fmt::format("{} {} before {} of {}", who, does, to, thread);
  if (from == to)
    return fmt::format("{} {} between two operations of {} at {} ({}, then {})", who, does, thread, from,
                       names.operation(c.first.op, c.first.object), names.operation(c.second.op, c.second.object));
  return fmt::format("{} {} between {} and {} of {}", who, does, from, to, thread);
}

}  // namespace

namespace {

// Into a stretch of one thread and out of it again.
bool is_window(const CausePart& in, const CausePart& back) {
  const bool same_threads = in.first.thread == back.second.thread && in.second.thread == back.first.thread;
  return same_threads && in.first.step < back.second.step && in.second.step <= back.first.step;
}

// A claim that is exact over several orders needs no parts, nor does one of which they would only be the two halves.
bool in_parts(const Cause& c) {
  if (c.parts.empty()) return false;
  const bool one = c.parts.size() == 1 || (c.parts.size() == 2 && (is_window(c.parts[0], c.parts[1]) || is_window(c.parts[1], c.parts[0])));
  return !c.exact() || (c.inside.failed < 3 && !one);
}

std::string without_words(const CauseSide& s) { return fmt::format("[reversed: {} of {} pass]", s.passed, s.orders()); }

}  // namespace

std::string parts_sentence(const Cause& c) {
  if (!in_parts(c)) return {};
  const size_t n = c.together.failed;
  return fmt::format("Sufficient, and each part necessary:  [tested: {} distinct order{} that keep{} {} fail{}, none passes]", n,
                     n == 1 ? "" : "s", n == 1 ? "s" : "", c.parts.size() == 1 ? "it" : "them all", n == 1 ? "s" : "");
}

std::vector<std::string> part_sentences(Names& names, const Cause& c) {
  std::vector<std::string> out;
  if (!in_parts(c)) return out;
  auto where = [&](const CauseEvent& e) {
    return e.site == kNoSite || names.own_place(e.site).empty() ? cause_event_words(names, e, false) : names.place(e.site);
  };
  // One line that several places call: the callers tell its operations apart.
  auto from_where = [&](const CauseEvent& e) {
    const auto calls = e.step < names.trace().events().size() ? names.calls(e.step) : std::vector<Frame>();
    return calls.size() < 2 ? where(e) : fmt::format("{} (called at {})", where(e), Names::place(calls[1]));
  };
  std::vector<bool> done(c.parts.size());
  for (size_t i = 0; i < c.parts.size(); ++i) {
    if (done[i]) continue;
    // Into a stretch of one thread and out of it again: what another does in between.
    for (size_t k = 0; k < c.parts.size() && !done[i]; ++k) {
      const CausePart &in = c.parts[i], &back = c.parts[k];
      if (k == i || done[k] || !is_window(in, back)) continue;
      done[i] = done[k] = true;
      std::string does = cause_event_words(names, in.second, true);
      const std::string last = cause_event_words(names, back.first, true);
      if (in.second.step != back.first.step) does += last == does ? " more than once" : " and " + last;
      const std::string from = where(in.first), to = where(back.second);
      const std::string who = names.thread(names.trace().thread_index(in.first.thread));
      std::string window = fmt::format("between {} and {} of {}", from, to, who);
      if (from == to) {
        const std::string a = from_where(in.first), b = from_where(back.second);
        window = a == from || b == to || a == b ? fmt::format("between two operations of {} at {}", who, from)
                                                : fmt::format("between {} and {} of {}", a, b, who);
      }
      out.push_back(fmt::format("{} {}  [reversed: {} of {} and {} of {} pass]", does, window, in.without.passed, in.without.orders(),
                                back.without.passed, back.without.orders()));
    }
    if (done[i]) continue;
    done[i] = true;
    out.push_back(fmt::format("{} before {}  {}", cause_event_words(names, c.parts[i].first, true),
                              cause_event_words(names, c.parts[i].second, true), without_words(c.parts[i].without)));
  }
  return out;
}

std::string claim_sentence(Names& names, const Cause& c) {
  if (c.kind == CauseKind::kNone) return {};
  const char* in = c.kind == CauseKind::kWindow ? "inside" : "with it";
  const char* out = c.kind == CauseKind::kWindow ? "outside" : "without it";
  // The set says more than a claim that is only enough, or rests on one order.
  if (in_parts(c) && !(c.needed() && !c.exact())) return {};
  if (c.exact()) {
    return fmt::format("Fails if and only if {}.  [tested: {} distinct order{} {} fail{}, {} {} pass{}]", claim_condition(names, c),
                       c.inside.failed, c.inside.failed == 1 ? "" : "s", in, c.inside.failed == 1 ? "s" : "", c.outside.passed, out,
                       c.outside.passed == 1 ? "es" : "");
  }
  // Another failure may be the same mistake: it is counted apart, and where it is frequent the claim is not made.
  const std::string rest = c.outside.other == 0
                               ? std::string()
                               : fmt::format(", where {} end{} in another way", c.outside.other, c.outside.other == 1 ? "s" : "");
  const std::string tested =
      fmt::format("[tested: {} of {} distinct orders {} fail, {} of {} {}{}]", c.inside.failed, c.inside.orders(), in,
                  c.outside.failed == 0 ? "none" : std::to_string(c.outside.failed), c.outside.orders(), out, rest);
  if (c.enough()) {
    const char* more = c.outside.failed == 0 ? "" : ", and in other ways too";
    return fmt::format("Fails whenever {}{}.  {}", claim_condition(names, c), more, tested);
  }
  if (c.needed() && c.outside.passed * 4 >= c.outside.orders() * 3)
    return fmt::format("Fails only if {}; that alone is not enough.  {}", claim_condition(names, c), tested);
  return {};
}

std::string doomed_sentence(Names& names, const DoomedPoint& d, bool passing) {
  if (!d.known || d.sampled_after == 0) return {};
  if (d.from_start) {
    return passing ? fmt::format("Hardly any schedule passes: all {} continuations tried from the start fail.", d.sampled_after)
                   : fmt::format("No way out from the start: all {} continuations tried fail.", d.sampled_after);
  }
  if (d.step >= names.trace().events().size()) return {};
  const Event& e = names.trace().events()[d.step];
  return fmt::format("Point of no return: {} {}{} (step {}). {} of {} continuations tried fail after it, {} of {} before it.",
                     names.thread(e.thread), names.operation(e), names.own_place(e.site).empty() ? "" : " at " + names.place(e.site),
                     d.step + 1, d.sampled_after, d.sampled_after, d.failed_before, d.sampled_before);
}

std::string switches_sentence(Names& names) {
  const Trace& trace = names.trace();
  const auto slices = trace.slices();
  const bool early = std::ranges::any_of(trace.events(), [](const Event& e) { return (e.flags & kEarly) != 0; });
  if (trace.switches() == 0 && early) return "It fails without any switch, where a sleep or a time-out ends while others could still run";
  if (trace.switches() == 0) return "It fails without any switch: the schedule does not matter";
  constexpr size_t kShown = 3;
  std::string text;
  size_t shown = 0;
  for (size_t i = 0; i + 1 < slices.size(); ++i) {
    if (!slices[i].preempted || ++shown > kShown) continue;
    const Event& last = trace.events()[slices[i].end - 1];
    if (!text.empty()) text += "; ";
    text += fmt::format("{} was stopped after {} (step {}), and {} ran", names.thread(slices[i].thread), names.place(last.site),
                        slices[i].end, names.thread(slices[i + 1].thread));
  }
  if (shown > kShown) text += fmt::format("; and {} more preemptions", shown - kShown);
  return text.empty() ? "It fails without a preemption: threads only run on until they wait or end" : text;
}

// "map<std::string, std::vector<..>>" of hundreds of characters says less than "map<..>".
static std::string without_long_arguments(const std::string& text) {
  constexpr size_t kLongest = 24;
  std::string out;
  for (size_t at = 0; at < text.size(); ++at) {
    out += text[at];
    if (text[at] != '<' || at == 0 || (std::isalnum(static_cast<unsigned char>(text[at - 1])) == 0 && text[at - 1] != '_')) continue;
    size_t end = at + 1;
    for (int depth = 1; end < text.size() && depth > 0; ++end) depth += text[end] == '<' ? 1 : text[end] == '>' ? -1 : 0;
    if (end - at <= kLongest || text[end - 1] != '>') continue;
    out += "..>";
    at = end - 1;
  }
  return out;
}

std::string plain_line(const std::string& text, size_t width) {
  static constexpr const char* kDelimiters = " (\t'`\"";
  const std::string source = without_long_arguments(text.substr(0, text.find('\n')));
  std::string line;
  for (size_t at = 0; at < source.size();) {
    const size_t end = std::min(source.size(), source.find_first_of(kDelimiters, at));
    std::string word = source.substr(at, end - at);
    if (word.size() > 1 && word.front() == '/' && word.rfind('/') + 1 < word.size()) word.erase(0, word.rfind('/') + 1);
    line += word;
    if (end < source.size()) line += source[end];
    at = end + 1;
  }
  line = clean_line(line);
  return line.size() > width ? line.substr(0, width) + ".." : line;
}

}  // namespace heddle::report
