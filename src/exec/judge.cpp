#include "exec/judge.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <regex>
#include <string_view>
#include <vector>

#include "exec/ctest_judge.h"
#include "exec/descriptor.h"
#include "exec/file_view.h"
#include "exec/process.h"
#include "trace/error.h"

namespace heddle::exec {

namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    lines.push_back(line);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

bool contains_folded(std::string_view text, std::string_view word) {
  const auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
  return std::search(text.begin(), text.end(), word.begin(), word.end(), same) != text.end();
}

bool speaks_of_failure(std::string_view line) {
  static constexpr std::string_view kWords[] = {"fail",    "error",    "assert", "mismatch",  "wrong",     "corrupt",
                                                "invalid", "expected", "violat", "exception", "panic",     "abort",
                                                "fatal",   "broken",   "lost",   "bug",       "incorrect", "bad "};
  return std::any_of(std::begin(kWords), std::end(kWords), [&](std::string_view word) { return contains_folded(line, word); });
}

// An equality is five lines with a message of the test's own: what it is about, one side, its value, the other side.
constexpr size_t kDetailLines = 6;

// GoogleTest writes "file:12: Failure" and the expectation below; Catch2 "file:12: FAILED:" and the same.
std::optional<std::string> framework_failure(const std::vector<std::string_view>& lines) {
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = trimmed(lines[i]);
    if (!line.ends_with(": Failure") && !line.ends_with(": FAILED:") && !line.ends_with(": FAILED")) continue;
    const size_t slash = line.rfind('/');
    std::string message(slash == std::string_view::npos ? line : line.substr(slash + 1));
    while (!message.empty() && message.back() == ':') message.pop_back();
    for (size_t j = i + 1; j < std::min(lines.size(), i + 1 + kDetailLines); ++j) {
      const std::string_view detail = trimmed(lines[j]);
      if (detail.empty() || detail.starts_with('[')) break;
      message += (j == i + 1 ? ": " : message.back() == ':' ? " " : "; ") + std::string(detail);
    }
    return message;
  }
  return std::nullopt;
}

// libstdc++ and libc++ both say what was thrown before they abort.
std::optional<std::string> uncaught_exception(const std::vector<std::string_view>& lines) {
  for (size_t i = lines.size(); i-- > 0;) {
    static constexpr std::string_view kThrown = "terminate called after throwing an instance of '";
    static constexpr std::string_view kThrownClang = "due to uncaught exception of type ";
    std::string type;
    if (const size_t at = lines[i].find(kThrown); at != std::string_view::npos) {
      type = lines[i].substr(at + kThrown.size());
      type = type.substr(0, type.rfind('\''));
    } else if (const size_t clang = lines[i].find(kThrownClang); clang != std::string_view::npos) {
      type = lines[i].substr(clang + kThrownClang.size());
    } else if (lines[i].find("terminate called without an active exception") != std::string_view::npos) {
      return "terminate called without an active exception";
    } else {
      continue;
    }
    if (i + 1 < lines.size()) {
      const std::string_view next = trimmed(lines[i + 1]);
      if (next.starts_with("what():")) {
        const std::string_view what = trimmed(next.substr(7));
        // std::future_error says its name itself.
        return what.starts_with(type + ": ") ? std::string(what) : fmt::format("{}: {}", type, what);
      }
    }
    return type;
  }
  return std::nullopt;
}

// glibc: "prog: file.c:12: function: Assertion `x == 1' failed."
std::optional<std::string> failed_assertion(const std::vector<std::string_view>& lines) {
  for (size_t i = lines.size(); i-- > 0;) {
    const std::string_view line = lines[i];
    const size_t at = line.find("Assertion ");
    if (at == std::string_view::npos || line.find(" failed", at) == std::string_view::npos) continue;
    const size_t program = line.find(": ");
    return std::string(program != std::string_view::npos && program < at ? line.substr(program + 2) : line);
  }
  return std::nullopt;
}

std::optional<std::string> first_differing_line(const std::string& expected, const std::string& actual) {
  if (expected == actual) return std::nullopt;
  const auto want = lines_of(expected);
  const auto have = lines_of(actual);
  for (size_t i = 0; i < std::max(want.size(), have.size()); ++i) {
    if (i >= have.size()) return fmt::format("standard output ends at line {}, expected: {}", i + 1, want[i]);
    if (i >= want.size()) return fmt::format("standard output goes on at line {}: {}", i + 1, have[i]);
    if (want[i] != have[i]) return fmt::format("standard output differs at line {}: {}, expected: {}", i + 1, have[i], want[i]);
  }
  return "standard output differs in its line ends";
}

// The command sees the output files and the exit code as $1 $2 $3 and as HEDDLE_STDOUT, HEDDLE_STDERR, HEDDLE_EXIT. A command that is
// a single word is called with them as arguments.
bool command_says_failed(const std::string& command, const Outcome& outcome, const Output& output, const FileView* view) {
  Descriptor out = memory_file("stdout");
  Descriptor err = memory_file("stderr");
  write_all(out.get(), output.out);
  write_all(err.get(), output.err);
  // By our own descriptors, or by the command's where ours are out of its reach.
  const bool hidden = view != nullptr && view->hides_the_tool();
  const std::string whose = hidden ? "self" : std::to_string(::getpid());
  const std::string out_path = fmt::format("/proc/{}/fd/{}", whose, hidden ? kShownDescriptor : out.get());
  const std::string err_path = fmt::format("/proc/{}/fd/{}", whose, hidden ? kShownDescriptor + 1 : err.get());
  const int code = outcome.kind == OutcomeKind::kExit ? outcome.code : 128 + outcome.code;
  const bool single_word = command.find_first_of(" \t\n;|&<>()$`\"'*?[]{}~!#") == std::string::npos;
  Target shell =
      Target::resolve({"/bin/sh", "-c", single_word ? command + " \"$@\"" : command, "heddle", out_path, err_path, std::to_string(code)});
  const Descriptor silence = memory_file("predicate-output");
  Launch launch;
  launch.variables = {{"HEDDLE_STDOUT", out_path}, {"HEDDLE_STDERR", err_path}, {"HEDDLE_EXIT", std::to_string(code)}};
  launch.in = silence.get();
  launch.out = silence.get();
  launch.view = view;
  if (hidden) {
    launch.shown[0] = out.get();
    launch.shown[1] = err.get();
  }
  std::vector<std::string> ignored;
  const int status = Process(shell, launch, ignored).wait();
  if (WIFEXITED(status) && (WEXITSTATUS(status) == 126 || WEXITSTATUS(status) == 127)) {
    throw Error(fmt::format("--fails-if: '{}' cannot be run", command));
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

struct Judge::Pattern {
  std::regex regex;
};

Judge::Judge(Predicates predicates) : predicates_(std::move(predicates)) {
  if (predicates_.ctest_rule) ctest_ = std::make_unique<CTestJudge>(ctest_rule_of(*predicates_.ctest_rule));
  if (!predicates_.fails_if_output) return;
  try {
    pattern_ = std::make_unique<Pattern>(Pattern{std::regex(*predicates_.fails_if_output)});
  } catch (const std::regex_error& error) {
    throw Error(fmt::format("--fails-if-output: '{}' is not a regular expression: {}", *predicates_.fails_if_output, error.what()),
                ExitCode::kUsage);
  }
}
Judge::~Judge() = default;

// UndefinedBehaviorSanitizer writes "a.c:6:3: runtime error: shift exponent ..."; the others end their report with a line that names the
// error and its place: "SUMMARY: AddressSanitizer: heap-use-after-free a.c:6:3 in f". The directories are the machine's.
static std::optional<std::string> sanitizer_report(const std::vector<std::string_view>& lines) {
  static constexpr std::string_view kSummary = "SUMMARY: ";
  for (size_t i = lines.size(); i-- > 0;) {
    if (const size_t at = lines[i].find(": runtime error: "); at != std::string_view::npos) {
      const size_t slash = lines[i].rfind('/', at);
      return std::string(lines[i].substr(slash == std::string_view::npos ? 0 : slash + 1, 300));
    }
    if (!lines[i].starts_with(kSummary) || lines[i].find("Sanitizer: ") == std::string_view::npos) continue;
    if (lines[i].starts_with("SUMMARY: Undefined")) continue;
    std::string text(lines[i].substr(kSummary.size(), 300));
    if (const size_t slash = text.find(" /"); slash != std::string::npos) {
      const size_t end = std::min(text.find(' ', slash + 1), text.size());
      text.erase(slash + 1, text.rfind('/', end) - slash);
    }
    return text;
  }
  return std::nullopt;
}

// A check of the sanitizer's own runtime: an error of that, or of how it gets on with us, and never the program's.
static std::optional<std::string> broken_sanitizer(const std::string& err) {
  for (const std::string_view line : lines_of(err)) {
    if (line.find("Sanitizer: CHECK failed: ") != std::string_view::npos)
      return fmt::format("the sanitizer's own runtime gave up: {}", trimmed(line).substr(0, 200));
  }
  return std::nullopt;
}

std::string failure_line(const Output& output) {
  std::string last;
  if (auto report = sanitizer_report(lines_of(output.err))) return *report;
  for (const std::string* text : {&output.err, &output.out}) {
    const auto lines = lines_of(*text);
    if (auto framework = framework_failure(lines)) return *framework;
    for (size_t i = lines.size(); i-- > 0;) {
      const std::string_view line = trimmed(lines[i]);
      if (line.empty()) continue;
      if (speaks_of_failure(line)) return std::string(line.substr(0, 300));
      if (last.empty()) last = line.substr(0, 300);
    }
  }
  return last;
}

// Matched line by line: std::regex recurses over what it matches, and an output has no bound.
std::optional<std::string> Judge::output_failure(const Outcome& outcome, const Output& output, const FileView* view) const {
  if (predicates_.expect_stdout) {
    if (auto difference = first_differing_line(*predicates_.expect_stdout, output.out)) return difference;
  }
  if (pattern_) {
    for (const std::string* text : {&output.out, &output.err}) {
      for (std::string_view line : lines_of(*text)) {
        line = line.substr(0, 4096);
        if (std::regex_search(line.begin(), line.end(), pattern_->regex))
          return fmt::format("output matches: {}", trimmed(line).substr(0, 300));
      }
    }
  }
  if (predicates_.fails_if && command_says_failed(*predicates_.fails_if, outcome, output, view)) {
    return fmt::format("'{}' says that the run failed", *predicates_.fails_if);
  }
  return std::nullopt;
}

Outcome Judge::by_ctest(Outcome o, const Output& output) const {
  const CTestJudge::Answer answer = ctest_->answer(o.code, output);
  if (answer.said != CTestJudge::Said::kFailed) {
    o.code = predicates_.expect_exit;
    o.message = answer.why;
  } else if (o.code == predicates_.expect_exit || !answer.why.empty()) {
    o.kind = OutcomeKind::kOutput;
    o.message = answer.why;
  }
  return o;
}

Outcome Judge::refine(Outcome o, const Output& output, const FileView* view) const {
  if (auto broken = broken_sanitizer(output.err)) {
    o.kind = OutcomeKind::kCannotControl;
    o.message = *broken;
    return o;
  }
  const bool aborted = o.kind == OutcomeKind::kAbort || (o.kind == OutcomeKind::kSignal && o.code == SIGABRT);
  if (aborted) {
    const auto lines = lines_of(output.err);
    if (auto thrown = uncaught_exception(lines)) {
      o.kind = OutcomeKind::kException;
      o.message = *thrown;
    } else if (auto assertion = failed_assertion(lines)) {
      o.kind = OutcomeKind::kAssert;
      o.message = *assertion;
    } else if (auto report = sanitizer_report(lines)) {
      o.kind = OutcomeKind::kAbort;
      o.message = *report;
    } else {
      o.kind = OutcomeKind::kAbort;
      if (o.message.empty() || o.message == ::strsignal(SIGABRT)) o.message = failure_line(output);
    }
  }
  if (ctest_ && o.kind == OutcomeKind::kExit) o = by_ctest(std::move(o), output);
  if (o.kind == OutcomeKind::kExit && o.code != predicates_.expect_exit && o.message.empty()) o.message = failure_line(output);
  if (!predicates_.any() || is_inconclusive(o) || fails(o)) return o;
  if (auto message = output_failure(o, output, view)) {
    o.kind = OutcomeKind::kOutput;
    o.message = *message;
  }
  return o;
}

}  // namespace heddle::exec
