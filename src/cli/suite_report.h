#pragma once
// What is shown and left of a result over a whole suite.
#include <string>

#include "cli/suite_table.h"
#include "cli/verb.h"
#include "suite/result.h"

namespace heddle::cli {

// Files that the user wants besides those under .heddle/suite.
struct SuiteFiles {
  std::string junit, sarif, html;
  void add_to(Verb& verb);
};

// The last result of a suite, as later runs and other tools read it.
std::string suite_results_file();

// results.json, junit.xml, results.sarif and index.html under .heddle/suite, and the user's own. Throws Error.
void write_suite(const suite::SuiteResult& result, const SuiteFiles& files);

// One test in one line, and its words below.
std::string row_text(const suite::TestResult& test);
// What passed, then what failed, then the sum. `with_untested`: what cannot be tested, too.
void print_suite(const suite::SuiteResult& result, bool with_untested = false);
// How many of the tests that had a turn have which verdict.
std::string summary_of_begun(const SuiteState& state);

int suite_exit(const suite::SuiteResult& result);

}  // namespace heddle::cli
