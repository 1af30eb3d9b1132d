#include "report/reduction.h"

#include <fmt/format.h>

#include <map>
#include <set>

namespace heddle::report {

namespace {

const char* s(uint64_t n) { return n == 1 ? "" : "s"; }

// "2 to 4, 7".
std::string ranges(const std::vector<uint64_t>& numbers) {
  constexpr size_t kMost = 8;
  std::string text;
  size_t shown = 0;
  for (size_t i = 0; i < numbers.size();) {
    size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    if (++shown > kMost) return text + fmt::format(" and {} more", numbers.size() - i);
    text += text.empty() ? "" : ", ";
    text += end - i > 1 ? fmt::format("{} to {}", numbers[i], numbers[end - 1]) : fmt::format("{}", numbers[i]);
    i = end;
  }
  return text;
}

}  // namespace

std::string kept_words(const ReductionRecord& r) {
  std::string text = fmt::format("{} of {} thread{}", r.threads.after, r.threads.before, s(r.threads.before));
  if (r.inputs)
    text += fmt::format(", {} of {} connection{} and {} of {} request{}", r.inputs->connections.after, r.inputs->connections.before,
                        s(r.inputs->connections.before), r.inputs->requests.after, r.inputs->requests.before, s(r.inputs->requests.before));
  if (r.iterations)
    text += fmt::format(" and {} of {} iteration{} of loops", r.iterations->after, r.iterations->before, s(r.iterations->before));
  if (r.statements)
    text += fmt::format(" and {} of {} executed statement{}", r.statements->after, r.statements->before, s(r.statements->before));
  return text;
}

std::vector<std::string> statement_lines(const ReductionRecord& r) {
  // The lines of a file that one thread executes, as ranges.
  std::map<std::pair<std::string, std::string>, std::set<uint64_t>> lines;
  for (const KeptStatement& k : r.kept_statements) lines[{k.thread, k.file.substr(k.file.rfind('/') + 1)}].insert(k.line);
  std::vector<std::string> out;
  for (const auto& [where, numbers] : lines)
    out.push_back(
        fmt::format("{} executes line{} {} of {}", where.first, s(numbers.size()), ranges({numbers.begin(), numbers.end()}), where.second));
  return out;
}

std::string trace_words(const TraceSizes& t) {
  if (t.blocks.after == 0) return fmt::format("not traced: {}", t.why_not);
  const std::string before = t.blocks.before != 0 ? std::to_string(t.blocks.before) : fmt::format("not counted ({})", t.why_not);
  return fmt::format("blocks {} -> {}, traced {} of them in {} of {} intervals, in {} bytes", before, t.blocks.after, t.blocks_traced,
                     t.intervals_traced, t.intervals, t.bytes_traced);
}

std::vector<std::string> request_lines(const ReductionRecord& r) {
  constexpr size_t kMost = 12;
  std::vector<std::string> lines;
  if (!r.inputs) return lines;
  for (const KeptRequest& k : r.inputs->kept) {
    if (lines.size() == kMost) {
      lines.push_back(fmt::format("and {} more", r.inputs->kept.size() - kMost));
      break;
    }
    lines.push_back(fmt::format("{}, request {}: {}{} byte{}{}", k.connection, k.number,
                                k.bytes_left < k.bytes ? fmt::format("{} of its ", k.bytes_left) : "", k.bytes, s(k.bytes),
                                k.begins.empty() ? "" : fmt::format(", `{}`", k.begins)));
  }
  return lines;
}

std::vector<std::string> iteration_lines(const ReductionRecord& r) {
  std::vector<std::string> lines;
  for (const KeptIterations& k : r.kept_iterations) {
    const std::string file = k.file.substr(k.file.rfind('/') + 1);
    lines.push_back(fmt::format("{}:{}: {} executes iteration{} {} ({} in the whole run)", file, k.line, k.thread, s(k.numbers.size()),
                                ranges(k.numbers), k.before));
  }
  return lines;
}

std::string shorter_words(const ReductionRecord& r) {
  return fmt::format("{} -> {} events, one replay {:.4f} -> {:.4f} s", r.log_events.before, r.log_events.after, r.replay_seconds_before,
                     r.replay_seconds_after);
}

std::string criterion_words(const ReductionRecord& r) {
  const CriterionShown& c = r.criterion;
  const char* fails = c.fails ? "it fails in the same way" : "it does not fail in the same way";
  if (c.sequential_bug) return fmt::format("{}; the whole program fails without any interleaving, too", fails);
  if (!c.asked) return fails;
  const char* in_turn = c.check_passed    ? "reaches the check and passes it"
                        : c.check_reached ? "reaches the check and does not pass it"
                                          : "does not reach the check";
  return fmt::format("{}; a run of the same without interleaving {}", fails, in_turn);
}

}  // namespace heddle::report
