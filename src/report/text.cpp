#include "report/text.h"
#include "report/reduction.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "report/columns.h"
#include "report/evidence.h"
#include "report/excerpts.h"
#include "report/names.h"
#include "report/origin_text.h"
#include "report/screen.h"
#include "report/short_places.h"
#include "report/timing.h"
#include "report/waits.h"

namespace heddle::report {

namespace {

constexpr size_t kSideBySide = 100;          // characters
constexpr size_t kMostLines = 60;            // of the whole story, without --all
constexpr size_t kFewestRows = 10;           // of the table, in any case
constexpr size_t kMostWaits = 8;             // rows of who waits, without --all
constexpr size_t kOrigins[] = {8, 5, 3, 0};  // lines that led to the failure, without --all: the first that leave room for a table
constexpr size_t kTableFrame = 4;            // title, header, the sentence at the end
constexpr size_t kContext = 4;               // events around those that matter, where the whole would be too long

std::string plural(size_t n, const char* word) {
  return fmt::format("{} {}{}", n, word, n == 1 ? "" : word[std::char_traits<char>::length(word) - 1] == 'h' ? "es" : "s");
}

// Breaks at spaces; later lines are indented alike.
std::string wrapped(const std::string& text, size_t width, size_t indent) {
  std::string out, line;
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.size(), text.find(' ', at));
    const std::string word = text.substr(at, end - at);
    if (word.empty()) {
      at = end + 1;
      continue;
    }
    if (!line.empty() && shown_width(line) + 1 + shown_width(word) > width - indent) {
      out += line + "\n" + std::string(indent, ' ');
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
    at = end + 1;
  }
  return out + line;
}

std::string sizes(const Trace& trace) {
  const Counts c = trace.counts();
  return fmt::format("{}, {}", plural(c.preemptions, "preemption"), plural(c.switches, "switch"));
}

// Steps that a shortened table must not leave out.
std::vector<size_t> deciding_steps(const Trace& trace, const Diagnosis& d) {
  std::vector<size_t> keep{d.deciding};
  for (const DecidingLine& line : d.lines) keep.push_back(line.step);
  for (const TraceSlice& slice : trace.slices()) {
    if (slice.preempted) keep.push_back(slice.end - 1);
  }
  return keep;
}

void add_step(Screen& out, const Table& table, const ScheduleRow& row) {
  const std::string line = table.line(row);
  const size_t at = row.kind == RowKind::kPreemption ? line.find("==") : std::string::npos;
  out += line.substr(0, at);
  if (at != std::string::npos) out.coloured(line.substr(at), "1;31");
}

// Of a long table: both ends, the rows that matter, and so much around them.
std::vector<ScheduleRow> shortened(const std::vector<ScheduleRow>& rows, const std::vector<size_t>& keep, size_t around) {
  std::vector<bool> shown(rows.size());
  auto show = [&](size_t at, size_t nearby) {
    for (size_t i = at - std::min(at, nearby); i <= at + nearby && i < rows.size(); ++i) shown[i] = true;
  };
  show(0, around / 2);
  if (!rows.empty()) show(rows.size() - 1, around + 1);
  for (size_t i = 0; i < rows.size(); ++i) {
    const bool matters = rows[i].kind == RowKind::kPreemption ||
                         (rows[i].step != kNoDifference && std::find(keep.begin(), keep.end(), rows[i].step) != keep.end());
    if (matters) show(i, around);
  }
  std::vector<ScheduleRow> out;
  for (size_t i = 0; i < rows.size();) {
    if (shown[i]) {
      out.push_back(rows[i++]);
      continue;
    }
    size_t skipped = 0;
    const uint32_t thread = rows[i].thread;
    for (; i < rows.size() && !shown[i]; ++i) ++skipped;
    out.push_back({RowKind::kFold, kNoDifference, thread, fmt::format(".. {} more line{} (--all)", skipped, skipped == 1 ? "" : "s"), ""});
  }
  return out;
}

// Even the rows that matter are too many: the beginning, and more of the end, where it is decided.
void cut_middle(std::vector<ScheduleRow>& rows, size_t room) {
  if (rows.size() <= room || room < 4) return;
  const auto first = static_cast<std::ptrdiff_t>(room / 3), last = static_cast<std::ptrdiff_t>(room - room / 3 - 1);
  const uint32_t thread = rows[room / 3].thread;
  const size_t skipped = rows.size() - room + 1;
  rows.erase(rows.begin() + first, rows.end() - last);
  rows.insert(rows.begin() + first, {RowKind::kFold, kNoDifference, thread, fmt::format(".. {} more rows (--all)", skipped), ""});
}

// Two runs alike, so that what they have in common stays side by side: as much around what matters as fits into `room` rows.
void fit(std::vector<ScheduleRow>& one, std::vector<ScheduleRow>& two, const std::vector<size_t>& keep, size_t room, bool cut) {
  if (one.size() <= room && two.size() <= room) return;
  for (size_t around = kContext + 1; around-- > 0;) {
    const auto a = shortened(one, keep, around), b = shortened(two, keep, around);
    if (around > 0 && (a.size() > room || b.size() > room)) continue;
    one = a;
    two = b;
    if (!cut) return;
    cut_middle(one, room);
    cut_middle(two, room);
    return;
  }
}

class Writer {
 public:
  Writer(const Story& story, const TextOptions& options)
      : story_(story),
        options_(options),
        names_(story.failing, story.symbols, story.stacks),
        diagnosis_(diagnose(names_, story)),
        out_(options.colour) {
    name_file_once(diagnosis_, names_.only_file());
  }

  // The table takes what room the rest leaves.
  std::string text() {
    headline();
    const std::string head = out_.take();
    tables(kNoDifference);  // names its objects, which the legend explains
    const std::string longest = out_.take();
    auto lines = [](const std::string& text) { return static_cast<size_t>(std::count(text.begin(), text.end(), '\n')); };
    std::string rest;
    size_t others = 0;
    // What led to it takes what the shortest table leaves.
    for (const size_t most : kOrigins) {
      rest = below(options_.all ? SIZE_MAX : most);
      others = lines(head) + lines(rest) + kTableFrame;
      if (options_.all || others + std::min(kFewestRows, lines(longest)) <= kMostLines) break;
    }
    if (options_.all || lines(head) + lines(longest) + lines(rest) <= kMostLines) return head + longest + rest;
    size_t room = std::max(kFewestRows, kMostLines - std::min(others, kMostLines));
    if (story_.passing != nullptr && options_.width < kSideBySide) room = std::max(kFewestRows - 2, room / 2 - 1);
    tables(room);
    return head + out_.take() + rest;
  }

 private:
  // All that follows the table, with so many of the lines that led to the failure.
  std::string below(size_t most_origins) {
    waits();
    add_excerpts(out_, names_, diagnosis_, options_.all);
    origins(most_origins);
    legend();
    footer();
    return out_.take();
  }

  std::string short_places(const std::string& text) const { return without_file(text, names_.only_file()); }

  void headline() {
    out_ += fmt::format("BUG {}  ", story_.bug.id);
    out_.coloured(diagnosis_.title(), "1;31");
    out_ += fmt::format("{}\n", diagnosis_.ending.empty() ? "" : fmt::format("   ({})", diagnosis_.ending));
    out_ += fmt::format("WHY   {}.\n", wrapped(diagnosis_.why, options_.width, 6));
    if (!diagnosis_.claim.empty()) out_ += fmt::format("      {}\n", wrapped(diagnosis_.claim, options_.width, 6));
    if (!diagnosis_.enough.empty()) out_ += fmt::format("      {}\n", wrapped(diagnosis_.enough, options_.width, 6));
    for (size_t i = 0; i < diagnosis_.parts.size(); ++i)
      out_ += fmt::format("      {}. {}\n", i + 1, wrapped(diagnosis_.parts[i], options_.width, 9));
    if (!diagnosis_.doomed.empty()) out_ += fmt::format("      {}\n", wrapped(diagnosis_.doomed, options_.width, 6));
    if (!diagnosis_.fix.empty()) out_ += fmt::format("FIX   {}\n", wrapped(diagnosis_.fix, options_.width, 6));
    out_ += '\n';
  }

  // At most `room` rows of each run.
  void tables(size_t room) {
    auto keep = deciding_steps(story_.failing, diagnosis_);
    const size_t parts = story_.passing == nullptr ? kNoDifference : first_difference(story_.failing, *story_.passing);
    keep.push_back(parts);
    auto failing = schedule_rows(names_, 0, story_.failing.events().size(), {options_.all, keep});
    std::vector<ScheduleRow> passing;
    const bool cut = story_.passing == nullptr || options_.width >= kSideBySide;  // two tables, one below the other, have too little room
    if (story_.passing == nullptr) {
      fit(failing, passing, keep, room, cut);
      single("FAILING", names_, failing, story_.failing);
      return;
    }
    const Symbols symbols(module_paths_of(*story_.passing));
    Names other(*story_.passing, symbols, story_.passing_stacks);
    other.adopt(names_);
    passing = schedule_rows(other, 0, story_.passing->events().size(), {options_.all, keep});
    fit(failing, passing, keep, room, cut);
    if (options_.width < kSideBySide) {
      single("FAILING", names_, failing, story_.failing);
      out_ += '\n';
      single("NEAREST PASSING", other, passing, *story_.passing);
      return;
    }
    side_by_side(failing, passing, other, parts);
  }

  void side_by_side(const std::vector<ScheduleRow>& failing, const std::vector<ScheduleRow>& passing, Names& other, size_t parts) {
    const size_t half = (options_.width - 5) / 2;
    const Table left(names_, failing, half), right(other, passing, half);
    out_ += fitted("   FAILING, " + sizes(story_.failing) + of_file(), half + 3, true) + "  NEAREST PASSING, " + sizes(*story_.passing);
    out_.end_line();
    out_ += left.header() + "     " + right.header();
    out_.end_line();
    bool parted = false;
    auto differ = [&](size_t i) {
      if (i >= failing.size() || i >= passing.size()) return true;
      // A preemption is shown before the step with which the other run goes on.
      const bool past =
          (failing[i].step != kNoDifference && failing[i].step >= parts) || (passing[i].step != kNoDifference && passing[i].step >= parts);
      return past || (failing[i].kind != RowKind::kFold && passing[i].kind != RowKind::kFold &&
                      (failing[i].kind != passing[i].kind || failing[i].thread != passing[i].thread));
    };
    for (size_t i = 0; i < std::max(failing.size(), passing.size()); ++i) {
      const std::string r = i < passing.size() ? right.line(passing[i]) : std::string();
      const bool differs = !parted && differ(i);
      parted |= differs;
      if (i < failing.size()) {
        add_step(out_, left, failing[i]);
      } else {
        out_ += std::string(half, ' ');
      }
      out_ += (differs ? "  !  " : "  |  ") + r;
      out_.end_line();
    }
    out_ += fmt::format("       {}\n", wrapped(ending(), options_.width, 7));
  }

  // Who waits for what is shown below.
  std::string ending() const {
    if (!diagnosis_.waits.empty()) return name(story_.failing.outcome().kind);
    return short_places(ending_sentence(story_.failing, story_.symbols));
  }

  // The rows give only the line where one file is concerned.
  std::string of_file() const { return names_.only_file().empty() ? std::string() : "  (" + names_.only_file() + ")"; }

  void single(const char* title, Names& names, const std::vector<ScheduleRow>& rows, const Trace& trace) {
    const Table table(names, rows, options_.width);
    out_ += fmt::format("   {}, {}{}\n{}", title, sizes(trace), of_file(), table.header());
    out_.end_line();
    for (const ScheduleRow& row : rows) {
      add_step(out_, table, row);
      out_.end_line();
    }
    out_ += fmt::format("       {}\n", wrapped(&trace == &story_.failing ? ending() : std::string("passes"), options_.width, 7));
  }

  void waits() {
    if (diagnosis_.waits.empty()) return;
    const bool cycle = std::any_of(diagnosis_.waits.begin(), diagnosis_.waits.end(), [](const WaitEdge& w) { return w.in_cycle; });
    out_ += cycle ? "\n   THE CIRCLE\n" : "\n   WHO WAITS\n";
    bool rest = false;
    size_t shown = 0;
    for (const WaitEdge& w : diagnosis_.waits) {
      if (!options_.all && ++shown > kMostWaits) {
        out_ += fmt::format("   .. {} more (--all)\n", diagnosis_.waits.size() - kMostWaits);
        break;
      }
      if (cycle && !w.in_cycle && !rest) out_ += "   WHO ELSE WAITS\n";
      rest |= cycle && !w.in_cycle;
      out_ += fmt::format("   {:<6} at {:<{}} waits for {}", names_.thread(w.thread), w.at, names_.only_file().empty() ? 22 : 5,
                          awaited(names_, w));
      if (w.holder != kNoIndex && w.op != Op::kThreadJoin) {
        out_ += fmt::format(", held by {}", names_.thread(w.holder));
        if (!w.taken_at.empty()) out_ += fmt::format(" since {}", w.taken_at);
      }
      out_ += '\n';
    }
  }

  void origins(size_t most) {
    if (story_.origins == nullptr || story_.origins->empty()) return;
    if (most == 0) {
      out_ += fmt::format("\n   WHAT LED TO IT   {} (--all)\n", plural(story_.origins->size(), "line"));
      return;
    }
    out_ += "\n   WHAT LED TO IT, the nearest lines in order\n";
    out_ += origin_text(*story_.origins, story_.failing.threads(), most, options_.width);
  }

  void legend() {
    for (const std::string& line : names_.legend()) out_ += "       " + line + "\n";
    const char* head = "TIMING needs that ";
    for (const TimingNeed& need : timing_needs(names_)) {
      out_ += wrapped(head + need.sentence, options_.width, 7) + "\n";
      head = "       and that ";
    }
    for (const Note& note : story_.failing.notes())
      out_ += fmt::format("NOTE   not controlled: {} ({})\n", note.text, plural(note.count, "time"));
    if (!story_.output.empty()) out_ += fmt::format("OUTPUT {}\n", plain_line(story_.output, options_.width));
  }

  void reduced(const ReductionRecord& r) {
    out_ += "NEEDS  " + wrapped(fmt::format("{} · {}", kept_words(r), shorter_words(r)), options_.width, 7) + "\n";
    constexpr size_t kMostLoops = 8;
    std::vector<std::string> lines = request_lines(r);
    for (std::string& line : iteration_lines(r)) lines.push_back(std::move(line));
    for (std::string& line : statement_lines(r)) lines.push_back(std::move(line));
    for (size_t i = 0; i < lines.size() && i < kMostLoops; ++i) out_ += "       " + plain_line(lines[i], options_.width) + "\n";
    if (lines.size() > kMostLoops) out_ += fmt::format("       and {} more\n", lines.size() - kMostLoops);
    if (!r.no_inputs.empty()) out_ += "       " + wrapped("No requests were left out: " + r.no_inputs, options_.width, 7) + "\n";
  }

  void footer() {
    const Bug& bug = story_.bug;
    std::string found = fmt::format("run {} of the {} search", bug.find_executions, bug.strategy);
    if (!bug.minimal.empty()) {
      found += fmt::format(" · {} -> {}, {} -> {} in {} · minimal: {}", bug.found.switches, plural(bug.simplified.switches, "switch"),
                           bug.found.preemptions, plural(bug.simplified.preemptions, "preemption"), plural(bug.simplify_executions, "run"),
                           bug.minimal);
      if (!bug.certificate.empty()) found += ", " + bug.certificate;
    }
    if (bug.was_reduced && bug.reduced.threads < bug.simplified.threads)
      found += fmt::format(" · needs {} of {} threads", bug.reduced.threads, bug.simplified.threads);
    out_ += "\nFOUND  " + wrapped(found, options_.width, 7) + "\n";
    const ReductionRecord* left = story_.reduction;
    if (left != nullptr && (left->iterations || left->statements || left->inputs || !left->no_inputs.empty())) reduced(*left);
    out_ +=
        fmt::format("REPLAY heddle replay {0}      NEXT  heddle replay {0} --gdb · heddle report {0} · heddle explain {0} --all\n", bug.id);
    if (!story_.page.empty()) out_ += fmt::format("PAGE   {}\n", story_.page);
    paste();
  }

  // A long string would push the story off the screen.
  void paste() {
    constexpr size_t kLongestPaste = 1'000;
    const std::string& replay = story_.replay;
    if (replay.empty()) return;
    if (options_.all || replay.size() <= kLongestPaste)
      out_ += fmt::format("PASTE  heddle replay {} -- PROGRAM\n", replay);
    else
      out_ +=
          fmt::format("PASTE  a replay string of {} characters, the last line of: heddle explain {} --all\n", replay.size(), story_.bug.id);
  }

  const Story& story_;
  const TextOptions& options_;
  Names names_;
  Diagnosis diagnosis_;
  Screen out_;
};

}  // namespace

Diagnosis diagnose(Names& names, const Story& story) { return diagnose(names, story.cause, story.passing, story.passing_stacks); }

std::vector<std::string> module_paths_of(const Trace& trace) {
  std::vector<std::string> paths;
  for (const Module& module : trace.modules()) paths.push_back(module.path);
  return paths;
}

std::string ending_sentence(const Trace& trace, const Symbols& symbols) {
  Names names(trace, symbols);
  const Outcome& o = trace.outcome();
  std::string text = name(o.kind);
  if (o.kind == OutcomeKind::kDeadlock) {
    std::string who;
    for (const WaitEdge& w : wait_edges(names)) {
      if (w.op == Op::kThreadJoin && !w.in_cycle && !who.empty()) continue;
      who += (who.empty() ? "" : "; ") + wait_sentence(names, w);
    }
    return fmt::format("deadlock: {}", who.empty() ? plain_line(o.message, 200) : who);
  }
  if (o.kind == OutcomeKind::kExit) text += fmt::format(" code {}", o.code);
  if (!o.message.empty()) text += ": " + plain_line(o.message, 200);
  if (!o.stack.empty()) text += fmt::format("  (in {}, {})", names.thread(o.thread), names.place(o.stack));
  return text;
}

std::string columns_text(const Trace& trace, const Symbols& symbols, size_t begin, size_t end, const TextOptions& options) {
  Names names(trace, symbols);
  const auto rows = schedule_rows(names, begin, end, {options.all, {}});
  const Table table(names, rows, options.width);
  Screen out(options.colour);
  out += table.header();
  out.end_line();
  for (const ScheduleRow& row : rows) {
    add_step(out, table, row);
    out.end_line();
  }
  for (const std::string& line : names.legend()) out += "       " + line + "\n";
  return out.take();
}

std::string explain_text(const Story& story, const TextOptions& options) { return Writer(story, options).text(); }

}  // namespace heddle::report
