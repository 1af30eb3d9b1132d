#include "report/lines.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/condition.h"
#include "trace/locks.h"

namespace heddle::report {

namespace {

constexpr int kLongestStretch = 16;  // lines

bool same_function(const Frame& a, const Frame& b) { return a.file == b.file && a.function == b.function; }

}  // namespace

void Lines::add(DecidingLine line) {
  for (DecidingLine& known : lines_) {
    if (known.frame.file != line.frame.file || known.frame.line != line.frame.line || known.thread != line.thread) continue;
    if (line.from != 0) known.from = known.from == 0 ? line.from : std::min(known.from, line.from);
    if (line.to != 0) known.to = std::max(known.to, line.to);
    return;
  }
  lines_.push_back(std::move(line));
}

void Lines::stretch(DecidingLine& line, const Frame& other) const {
  if (!same_function(line.frame, other) || std::abs(other.line - line.frame.line) > kLongestStretch) return;
  line.from = std::min({line.from == 0 ? line.frame.line : line.from, line.frame.line, other.line});
  line.to = std::max({line.to, line.frame.line, other.line});
}

// Given back elsewhere: what follows in the block that takes it.
void Lines::rest_of_block(DecidingLine& line) const {
  auto indent = [&](int n) {
    const std::string text = names_.symbols().source_line(line.frame.file, n).value_or("");
    return text.find_first_not_of(" \t");
  };
  const size_t own = indent(line.frame.line);
  if (own == std::string::npos) return;
  int last = line.frame.line;
  for (int n = line.frame.line + 1; n <= line.frame.line + kLongestStretch / 2; ++n) {
    const size_t at = indent(n);
    const bool closes = at != std::string::npos && at < own && names_.symbols().source_line(line.frame.file, n)->at(at) == '}';
    if (closes) break;
    last = n;
  }
  if (last == line.frame.line) return;
  line.from = line.frame.line;
  line.to = last;
}

void Lines::section(size_t step, DecidingLine& line) const {
  const auto events = trace_.events();
  const Event& e = events[step];
  if (takes_lock(e)) {
    for (size_t i = step + 1; i < events.size(); ++i) {
      const Event& other = events[i];
      if (other.thread != e.thread) continue;
      const bool waits = model::is_condition_wait(other.op);
      if (!waits && !(is_unlock(other.op) && other.object == e.object)) continue;
      const auto calls = names_.calls(i);
      if (!calls.empty()) stretch(line, calls.front());
      if (line.to == 0) rest_of_block(line);
      return;
    }
    // It failed inside.
    if (trace_.outcome().thread == e.thread) {
      if (const auto calls = names_.calls(trace_.outcome().stack); !calls.empty()) stretch(line, calls.front());
    }
  } else if (is_unlock(e.op)) {
    for (size_t i = step; i-- > 0;) {
      if (events[i].thread != e.thread || events[i].object != e.object || !takes_lock(events[i])) continue;
      if (const auto calls = names_.calls(i); !calls.empty()) stretch(line, calls.front());
      return;
    }
  }
}

void Lines::event(size_t step, const std::string& what) {
  if (step >= trace_.events().size()) return;
  const Event& e = trace_.events()[step];
  const auto calls = names_.calls(step);
  if (calls.empty()) return;
  DecidingLine line{calls.front(), e.thread, fmt::format("{} {} (step {})", names_.thread(e.thread), what, step + 1), step, 0, 0};
  section(step, line);
  add(std::move(line));
}

void Lines::widen(size_t step, const std::vector<Frame>& other) {
  const auto calls = names_.calls(step);
  if (calls.empty() || other.empty()) return;
  DecidingLine line{calls.front(), trace_.events()[step].thread, "", step, 0, 0};
  stretch(line, other.front());
  if (line.to != 0) add(std::move(line));
}

void Lines::consequence(size_t step) {
  for (size_t i = step + 1; i < trace_.events().size(); ++i) {
    if (trace_.events()[i].thread == trace_.events()[step].thread) return widen(step, names_.calls(i));
  }
}

void Lines::approach(size_t step) {
  for (size_t i = step; i-- > 0;) {
    if (trace_.events()[i].thread == trace_.events()[step].thread) return widen(step, names_.calls(i));
  }
}

void Lines::up_to_the_end(size_t step) { widen(step, pending_calls(trace_.events()[step].thread)); }

std::vector<Frame> Lines::pending_calls(uint32_t thread) const {
  const Thread& t = trace_.threads()[thread];
  if (!t.stack.empty()) {
    if (auto calls = names_.calls(t.stack); !calls.empty()) return calls;
  }
  if (t.site == kNoSite) return {};
  // Its stack was not asked for in this run, but somebody may have come to the same place.
  using Run = std::pair<const Trace*, const Stacks*>;
  for (const auto& [run, known] : {Run(&trace_, names_.stacks()), Run(passing_, passing_stacks_)}) {
    if (run == nullptr || known == nullptr) continue;
    const Stacks& stacks = *known;
    for (const bool same_thread : {true, false}) {
      for (size_t i = 0; i < run->events().size() && i < stacks.size(); ++i) {
        const Event& e = run->events()[i];
        if (e.op != t.pending || (same_thread && run->thread_id(e) != t.id)) continue;
        if (std::find(stacks[i].begin(), stacks[i].end(), t.site) == stacks[i].end()) continue;
        if (auto calls = names_.calls(stacks[i]); !calls.empty()) return calls;
      }
    }
  }
  return names_.calls(std::vector<SiteId>{t.site});
}

void Lines::pending(uint32_t thread, const std::string& what) {
  if (const auto calls = pending_calls(thread); !calls.empty())
    place(calls.front(), thread, fmt::format("{} {}", names_.thread(thread), what));
}

void Lines::place(const Frame& frame, uint32_t thread, const std::string& caption, size_t step) {
  if (frame.file.empty() || frame.line <= 0) return;
  add({frame, thread, caption, step, 0, 0});
}

void Lines::stack(const std::vector<SiteId>& stack, uint32_t thread, const std::string& caption) {
  if (const auto calls = names_.calls(stack); !calls.empty()) place(calls.front(), thread, caption);
}

void Lines::gap(uint32_t thread, size_t before, size_t after) {
  if (before >= trace_.events().size()) return;
  const auto first = names_.calls(before);
  const auto second = after < trace_.events().size() ? names_.calls(after) : pending_calls(thread);
  if (first.empty() || second.empty()) return;
  // From the outside in, to where the two ways part.
  auto a = first.rbegin();
  auto b = second.rbegin();
  while (a != first.rend() && b != second.rend() && same_function(*a, *b) && a->line == b->line) ++a, ++b;
  if (a != first.rbegin() && (a == first.rend() || b == second.rend() || !same_function(*a, *b))) {
    // One statement leads to both.
    place(*(a - 1), thread, fmt::format("{} calls both from here", names_.thread(thread)));
    return;
  }
  if (a == first.rend() || b == second.rend() || !same_function(*a, *b)) return;
  const bool innermost = a + 1 == first.rend() && b + 1 == second.rend();
  DecidingLine line{*b, thread, fmt::format("{} goes on here", names_.thread(thread)), kNoDifference, 0, 0};
  stretch(line, *a);
  if (!innermost) {
    place(*a, thread, fmt::format("{} came from here", names_.thread(thread)), kNoDifference);
    line.caption = fmt::format("and goes on here");
  }
  add(std::move(line));
}

}  // namespace heddle::report
