#include "cli/test_lists.h"

#include <fmt/format.h>

#include <filesystem>

#include "exec/capture.h"
#include "suite/ctest.h"
#include "suite/framework.h"
#include "trace/error.h"

namespace heddle::cli {

namespace {

namespace fs = std::filesystem;

constexpr double kListSeconds = 20;
constexpr double kAskSeconds = 60;

}  // namespace

std::optional<std::string> framework_of(const Target& target) { return target.script ? std::nullopt : suite::framework_of(target.program); }

suite::TestList list_tests(const Target& target, const std::string& framework) {
  Target asked = target;
  asked.arguments = suite::listing_command(framework, target.arguments);
  const Captured answer = capture(asked, kListSeconds);
  if (answer.late) throw Error(fmt::format("{} did not list its tests within {:g} s", target.arguments.front(), kListSeconds));
  return suite::listed_tests(framework, target.arguments, answer.out);
}

suite::TestList ctest_tests(const std::string& build_directory) {
  if (!fs::exists(fs::path(build_directory) / "CTestTestfile.cmake"))
    throw Error(fmt::format("{} is not a build directory with tests: it has no CTestTestfile.cmake", build_directory), ExitCode::kUsage);
  const Target ctest = Target::resolve({"ctest", "--show-only=json-v1"}, build_directory);
  const Captured answer = capture(ctest, kAskSeconds);
  if (!answer.exited_with(0))
    throw Error(fmt::format("ctest does not list the tests of {}: {}", build_directory, answer.err.substr(0, answer.err.find('\n'))));
  suite::TestList list = suite::read_ctest(answer.out);
  if (list.cases.empty()) throw Error(fmt::format("{} has no test", build_directory));
  return list;
}

Target target_of(const suite::TestCase& test) {
  Target target = Target::resolve(test.command, test.directory);
  for (const std::string& entry : test.environment) target.set_variable(entry);
  return target;
}

}  // namespace heddle::cli
