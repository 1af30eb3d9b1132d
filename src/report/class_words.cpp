// The kinds of bugs in words, and what a failure's own message says.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <csignal>
#include <cstdlib>
#include <set>

#include "report/diagnosis.h"
#include "report/evidence.h"

namespace heddle::report {

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
    case BugClass::kUntestedWait: return "wait without a loop";
    case BugClass::kIgnoredTimeout: return "time-out ignored";
    case BugClass::kEverySchedule: return "failure in every schedule";
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
    case BugClass::kUntestedWait: return "wait-without-loop";
    case BugClass::kIgnoredTimeout: return "ignored-timeout";
    case BugClass::kEverySchedule: return "every-schedule";
  }
  return "unknown";
}

const char* advice(BugClass kind) {
  switch (kind) {
    case BugClass::kUnknown: return "The evidence does not single out a known kind of bug.";
    case BugClass::kDeadlock: return "Every thread waits for what only another could do.";
    case BugClass::kLostWakeup: return "A thread waits for a wake-up that never comes: test the condition under the lock, in a loop.";
    case BugClass::kAtomicity: return "The value was stale when it was used: hold one lock across the check and the update.";
    case BugClass::kMultiAtomicity:
      return "Values that belong together were seen half changed: one critical section must cover all of them.";
    case BugClass::kOrder:
      return "One thread relies on another having run first, and nothing enforces that: wait for it, or do it before the thread can run.";
    case BugClass::kUseAfterFree: return "It is freed or torn down while another thread still uses it: end or wait for the users first.";
    case BugClass::kDataRace: return "Two threads access it at once, one of them writing, with no lock in common.";
    case BugClass::kLivelock: return "The threads keep giving way to each other and none makes progress.";
    case BugClass::kMisuse: return "A lock is used in a way that its rules forbid.";
    case BugClass::kUntestedWait: return "What a thread waited for may be gone when it wakes: test it again after the wait, in a loop.";
    case BugClass::kIgnoredTimeout: return "A wait also ends when its time is over: look at its result before going on.";
    case BugClass::kEverySchedule:
      return "No order of the threads is known that avoids it: look for a mistake in what one thread does, or in what is expected.";
  }
  return "";
}

std::string Diagnosis::title() const {
  return subject.empty() || kind == BugClass::kEverySchedule ? words(kind) : fmt::format("{} on `{}`", words(kind), subject);
}

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
      text = fmt::format("exit code {}{}{}", o.code, o.message.empty() ? "" : ": ", plain_line(o.message, 120));
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

namespace {

// "freed == 2" counts; "!freed" and "closed == 0xdead" do not.
bool has_count(const std::string& expression) {
  for (size_t i = 0; i < expression.size(); ++i) {
    const auto c = static_cast<unsigned char>(expression[i]);
    if (!std::isalnum(c) && c != '_') continue;
    size_t end = i;
    while (end < expression.size() && (std::isalnum(static_cast<unsigned char>(expression[end])) || expression[end] == '_')) ++end;
    const bool hexadecimal = end > i + 1 && c == '0' && (expression[i + 1] | 0x20) == 'x';
    if (std::isdigit(c) && !hexadecimal && std::strtoul(expression.c_str() + i, nullptr, 10) > 1) return true;
    i = end;
  }
  return false;
}

}  // namespace

bool speaks_of_end(const std::string& expression) {
  static const std::set<std::string> kEnds = {"alive", "dead"};
  static const std::set<std::string> kDone = {"freed", "destroyed", "deleted", "closed", "disposed", "released"};
  const bool counts = has_count(expression);
  // Names in pieces: kAlive, is_alive, isClosed.
  std::string word;
  for (size_t i = 0; i <= expression.size(); ++i) {
    const char c = i < expression.size() ? expression[i] : ' ';
    const bool upper = c >= 'A' && c <= 'Z';
    if (!std::isalpha(static_cast<unsigned char>(c)) || upper) {
      if (kEnds.contains(word) || (!counts && kDone.contains(word))) return true;
      word.clear();
    }
    if (std::isalpha(static_cast<unsigned char>(c))) word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return false;
}

}  // namespace heddle::report
