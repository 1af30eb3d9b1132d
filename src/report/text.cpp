#include "report/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "report/names.h"

namespace heddle {

namespace {

constexpr size_t kEdge = 3;         // events shown at each end of a long slice
constexpr size_t kMostColumns = 5;  // more threads are listed instead

std::string cut(const std::string& text, size_t width) {
  if (text.size() <= width) return text;
  return width < 4 ? text.substr(0, width) : text.substr(0, width - 2) + "..";
}

// Absolute paths without their directories: a message is read, not pasted.
std::string one_line(const std::string& text) {
  static constexpr const char* kDelimiters = " (\t'`\"";
  const std::string source = text.substr(0, text.find('\n'));
  std::string line;
  for (size_t at = 0; at < source.size();) {
    const size_t end = std::min(source.size(), source.find_first_of(kDelimiters, at));
    std::string word = source.substr(at, end - at);
    if (word.size() > 1 && word.front() == '/' && word.rfind('/') + 1 < word.size()) word.erase(0, word.rfind('/') + 1);
    line += word;
    if (end < source.size()) line += source[end];
    at = end + 1;
  }
  return line.size() > 200 ? line.substr(0, 200) + ".." : line;
}

// "bank.cpp:20 `balance_ -= amount;`"
std::string place_with_source(const Names& names, SiteId site) {
  const std::string source = names.statement(site);
  return source.empty() ? names.place(site) : fmt::format("{} `{}`", names.place(site), cut(source, 60));
}

std::string plural(size_t n, const char* word) {
  return fmt::format("{} {}{}", n, word, n == 1 ? "" : "s");
}

class Columns {
 public:
  Columns(Names& names, const TextOptions& options) : names_(names), trace_(names.trace()), options_(options) {}

  std::string text(size_t begin, size_t end) {
    choose_columns(begin, end);
    header();
    for (const TraceSlice& slice : trace_.slices()) {
      const size_t from = std::max(slice.begin, begin);
      const size_t to = std::min(slice.end, end);
      if (from >= to) continue;
      show_slice(slice, from, to);
      if (to == slice.end && to < end) show_switch(slice);
    }
    return out_;
  }

 private:
  void choose_columns(size_t begin, size_t end) {
    column_.assign(trace_.threads().size(), 0);
    std::vector<bool> seen(trace_.threads().size());
    for (size_t i = begin; i < end; ++i) seen[trace_.events()[i].thread] = true;
    for (uint32_t t = 0; t < seen.size(); ++t) {
      if (!seen[t]) continue;
      column_[t] = shown_.size();
      shown_.push_back(t);
    }
    listed_ = shown_.size() > kMostColumns;
    if (shown_.empty()) return;
    width_ = listed_ ? options_.width - 8 : std::clamp<size_t>((options_.width - 8) / shown_.size(), 20, 48);
  }

  void header() {
    if (listed_ || shown_.empty()) return;
    out_ += fmt::format("{:>5}  ", "");
    for (uint32_t t : shown_) out_ += fmt::format("{:<{}}", names_.thread(t), width_);
    end_line();
  }

  void cell(const std::string& step, uint32_t thread, const std::string& text, bool strong = false) {
    out_ += fmt::format("{:>5}  ", step);
    const size_t indent = listed_ ? 0 : column_[thread] * width_;
    std::string shown = listed_ ? fmt::format("{:<8}{}", names_.thread(thread), text) : text;
    // The last column may use what is left of the line.
    const size_t room = listed_ || column_[thread] + 1 == shown_.size()
                            ? std::max(width_, options_.width - 7 - std::min(options_.width - 7, indent))
                            : width_ - 1;
    shown = cut(shown, room);
    if (strong && options_.colour) shown = "\033[1;31m" + shown + "\033[0m";
    out_ += std::string(indent, ' ') + shown;
    end_line();
  }

  void end_line() {
    while (!out_.empty() && out_.back() == ' ') out_.pop_back();
    out_ += '\n';
  }

  void show_slice(const TraceSlice& slice, size_t from, size_t to) {
    for (size_t i = from; i < to; ++i) {
      if (!options_.all && to - from > 2 * kEdge + 1 && i == from + kEdge) {
        const size_t left_out = to - from - 2 * kEdge;
        cell("", slice.thread, fmt::format(".. {} more", plural(left_out, "operation")));
        i += left_out;
      }
      const Event& e = trace_.events()[i];
      cell(std::to_string(i + 1), e.thread, names_.operation(e) + names_.own_place(e.site));
    }
  }

  void show_switch(const TraceSlice& slice) {
    if (slice.preempted) {
      cell("", slice.thread, "== preempted ==>", true);
    } else if (trace_.events()[slice.end - 1].op != Op::kThreadExit) {
      cell("", slice.thread, "-- gives way -->");
    }
  }

  Names& names_;
  const Trace& trace_;
  const TextOptions& options_;
  std::vector<size_t> column_;
  std::vector<uint32_t> shown_;
  bool listed_ = false;
  size_t width_ = 40;
  std::string out_;
};

std::string deadlock_sentence(Names& names) {
  std::string text;
  const auto threads = names.trace().threads();
  for (uint32_t i = 0; i < threads.size(); ++i) {
    const Thread& t = threads[i];
    if (t.state != ThreadState::kBlocked) continue;
    if (t.pending == Op::kThreadJoin && threads.size() > 2) continue;
    if (!text.empty()) text += "; ";
    const std::string where = t.stack.empty() ? names.place(t.site) : names.place(t.stack);
    text += fmt::format("{} {} at {}", names.thread(i), names.operation(t.pending, t.object), where);
    if (t.holder != kNoIndex) {
      text += fmt::format(", held by {}", names.thread(t.holder));
      if (t.holder_site != kNoSite) text += fmt::format(" since {}", names.place(t.holder_site));
    }
  }
  return text;
}

// The preemptions in words: who was stopped before what, and who ran in between.
std::string switch_sentence(Names& names) {
  const Trace& trace = names.trace();
  const auto slices = trace.slices();
  std::string text;
  size_t told = 0;
  for (size_t i = 0; i + 1 < slices.size(); ++i) {
    if (!slices[i].preempted) continue;
    if (++told > 3) continue;
    size_t next = i + 1;
    while (next < slices.size() && slices[next].thread != slices[i].thread) ++next;
    const Event& last = trace.events()[slices[i].end - 1];
    const Event& other = trace.events()[slices[next < slices.size() ? next - 1 : i + 1].end - 1];
    if (!text.empty()) text += "; ";
    text +=
        fmt::format("{} was preempted after {}", names.thread(slices[i].thread), place_with_source(names, last.site));
    if (next < slices.size()) {
      text += fmt::format(" (step {}) and went on only after {} had reached {} (step {})", slices[i].end,
                          names.thread(other.thread), place_with_source(names, other.site), slices[next - 1].end);
    } else {
      text += fmt::format(" (step {}), and {} went on", slices[i].end, names.thread(slices[i + 1].thread));
    }
  }
  if (told > 3) text += fmt::format("; and {} more", plural(told - 3, "preemption"));
  return text;
}

}  // namespace

std::string ending_sentence(const Trace& trace, const Symbols& symbols) {
  Names names(trace, symbols);
  const Outcome& o = trace.outcome();
  std::string text = name(o.kind);
  if (o.kind == OutcomeKind::kDeadlock) {
    const std::string who = deadlock_sentence(names);
    return who.empty() ? fmt::format("deadlock: {}", one_line(o.message)) : fmt::format("deadlock: {}", who);
  }
  if (o.kind == OutcomeKind::kExit) text += fmt::format(" code {}", o.code);
  if (!o.message.empty()) text += ": " + one_line(o.message);
  if (!o.stack.empty()) text += fmt::format("  (in {}, {})", names.thread(o.thread), names.place(o.stack));
  return text;
}

std::string columns_text(const Trace& trace, const Symbols& symbols, size_t begin, size_t end,
                         const TextOptions& options) {
  Names names(trace, symbols);
  std::string text = Columns(names, options).text(begin, std::min(end, trace.events().size()));
  for (const std::string& line : names.legend()) text += "       " + line + "\n";
  return text;
}

std::string explain_text(const Bug& bug, const Trace& trace, const Symbols& symbols, const TextOptions& options) {
  Names names(trace, symbols);
  const Counts c = trace.counts();
  std::string text = fmt::format("BUG {}  {}\n", bug.id, ending_sentence(trace, symbols));
  std::string why = switch_sentence(names);
  if (why.empty()) {
    why = c.switches == 0 ? "it fails without any switch: the schedule does not matter"
                          : "it fails without a preemption: threads only run on until they wait or end";
  }
  text += fmt::format("WHY   {}.\n", why);
  if (!bug.decides.empty()) text += fmt::format("      It {}.\n", bug.decides);
  text += '\n';
  text += fmt::format("   FAILING, {}, {}\n", plural(c.preemptions, "preemption"),
                      c.switches == 1 ? "1 switch" : fmt::format("{} switches", c.switches));
  text += Columns(names, options).text(0, trace.events().size());
  text += "       " + ending_sentence(trace, symbols) + "\n";
  for (const std::string& line : names.legend()) text += "       " + line + "\n";
  for (const Note& note : trace.notes()) text += fmt::format("NOTE   {} ({})\n", note.text, plural(note.count, "time"));
  text +=
      fmt::format("\nFOUND  run {} of the {} search, {:.2f} s", bug.find_executions, bug.strategy, bug.find_seconds);
  if (!bug.minimal.empty()) {
    text += fmt::format(" · {} -> {} switches, {} -> {} preemptions in {}, {:.2f} s · minimal: {}", bug.found.switches,
                        bug.simplified.switches, bug.found.preemptions, bug.simplified.preemptions,
                        plural(bug.simplify_executions, "run"), bug.simplify_seconds, bug.minimal);
    if (!bug.certificate.empty()) text += ", " + bug.certificate;
  }
  text += fmt::format("\nREPLAY heddle replay {}      NEXT  heddle explain {} --all · heddle show {}\n", bug.id, bug.id,
                      bug.id);
  return text;
}

}  // namespace heddle
