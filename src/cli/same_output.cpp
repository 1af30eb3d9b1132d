#include "cli/same_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "wire/ops.h"

namespace heddle::cli {

namespace {

constexpr size_t kAddressDigits = 10;

bool word_of_machine(const std::string& text, size_t begin, size_t end) {
  const auto is_hex = [](unsigned char c) { return std::isxdigit(c) != 0; };
  const auto is_digit = [](unsigned char c) { return std::isdigit(c) != 0; };
  const auto from = text.begin() + static_cast<std::ptrdiff_t>(begin);
  const auto to = text.begin() + static_cast<std::ptrdiff_t>(end);
  if (end - begin > 2 && text[begin] == '0' && text[begin + 1] == 'x') return std::all_of(from + 2, to, is_hex);
  if (end - begin >= kAddressDigits && std::all_of(from, to, is_hex)) return true;
  if (!std::all_of(from, to, is_digit)) return false;
  const bool marked = begin >= 2 && text.compare(begin - 2, 2, "==") == 0 && text.compare(end, 2, "==") == 0;
  return marked || (begin >= 4 && (text.compare(begin - 4, 4, "pid=") == 0 || text.compare(begin - 4, 4, "tid=") == 0));
}

std::string without_machine(const std::string& text) {
  std::string plain;
  plain.reserve(text.size());
  const auto in_word = [&](size_t i) { return i < text.size() && std::isalnum(static_cast<unsigned char>(text[i])) != 0; };
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    while (in_word(end)) ++end;
    if (end == at) {
      plain += text[at++];
      continue;
    }
    if (word_of_machine(text, at, end)) {
      plain += '#';
    } else {
      plain.append(text, at, end - at);
    }
    at = end;
  }
  return plain;
}

std::string stream_difference(const char* stream, const std::string& before, const std::string& now) {
  if (before == now) return {};
  const std::string a = without_machine(before);
  const std::string b = without_machine(now);
  if (a == b) return {};
  const auto at = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first;
  return fmt::format("the output differs: {}, line {}", stream, std::count(a.begin(), at, '\n') + 1);
}

// Which abort it was is in what the program wrote, and a recording leaves its streams alone: the replay says more.
bool replay_knows_more(const Outcome& recorded, const Outcome& again) {
  const bool named = again.kind == OutcomeKind::kException || again.kind == OutcomeKind::kAssert;
  return recorded.kind == OutcomeKind::kAbort && named && recorded.code == again.code;
}

}  // namespace

bool output_is_its_own(const Trace& trace) {
  const auto& events = trace.events();
  return std::none_of(events.begin(), events.end(), [](const Event& e) { return e.op == Op::kFork || e.op == Op::kExec; });
}

bool is_cut(const Trace& trace) { return trace.outcome().kind == OutcomeKind::kLimit; }

size_t replay_difference(const Trace& recorded, const Trace& again, std::string* why) {
  const size_t at = first_difference(recorded, again, why);
  const bool to_the_end = at == recorded.events().size() && again.events().size() == recorded.events().size();
  const bool as_it_ended = is_cut(recorded) || replay_knows_more(recorded.outcome(), again.outcome());
  return as_it_ended && to_the_end ? kNoDifference : at;
}

std::string divergence(const Trace& again, size_t at, const std::string& difference) {
  const std::string& message = again.outcome().message;
  // What cut it short says more than that it is shorter.
  if (again.outcome().kind != OutcomeKind::kDiverged) return is_inconclusive(again.outcome()) && !message.empty() ? message : difference;
  if (at < again.events().size())
    return fmt::format("{} ({}, and it is event {} where the run ends)", message, difference, again.events().size());
  return fmt::format("{} (after event {})", message, at);
}

void end_soon_after(const Trace& trace, Plan* plan) {
  if (trace.outcome().kind == OutcomeKind::kSignal) plan->limits.events = trace.data().executed + 1000;
  if (is_cut(trace)) plan->limits.events = trace.data().executed;
}

std::string output_difference(const Output& before, const Output& now) {
  std::string difference = stream_difference("stdout", before.out, now.out);
  return difference.empty() ? stream_difference("stderr", before.err, now.err) : difference;
}

}  // namespace heddle::cli
