#pragma once
// What a run's output adds to its outcome: the words of a failure, and the user's own idea of one.
#include <memory>
#include <optional>
#include <string>

#include "trace/outcome.h"

namespace heddle::exec {

class CTestJudge;
class FileView;

struct Output {
  std::string out, err;
};

// As given on the command line.
struct Predicates {
  int expect_exit = 0;
  std::optional<std::string> expect_stdout;    // the bytes expected
  std::optional<std::string> fails_if_output;  // a regular expression over both streams
  std::optional<std::string> fails_if;         // a shell command: exit 0 means that this run failed
  std::optional<std::string> ctest_rule;       // trace/ctest_rule.h: the properties of a test of CTest

  bool any() const { return expect_stdout || fails_if_output || fails_if; }
};

class Judge {
 public:
  // Throws Error for a regular expression that is none.
  explicit Judge(Predicates predicates);
  ~Judge();
  const Predicates& predicates() const { return predicates_; }

  // `view`: the files as the run left them, for the user's command.
  Outcome refine(Outcome outcome, const Output& output, const FileView* view = nullptr) const;
  bool fails(const Outcome& outcome) const { return is_failure(outcome, predicates_.expect_exit); }

 private:
  struct Pattern;
  // By CTest's properties: passed and skipped runs look like those of a plain test that passes.
  Outcome by_ctest(Outcome outcome, const Output& output) const;
  std::optional<std::string> output_failure(const Outcome& outcome, const Output& output, const FileView* view) const;

  Predicates predicates_;
  std::unique_ptr<Pattern> pattern_;
  std::unique_ptr<CTestJudge> ctest_;
};

// The line of the output that most likely tells what went wrong: a test framework's failed expectation, else the last line that
// speaks of an error, else the last line. Empty if there is no output.
std::string failure_line(const Output& output);

}  // namespace heddle::exec
