#include "cli/test_text.h"

#include <fmt/format.h>

#include "trace/clean_text.h"
#include "trace/shell_words.h"

namespace heddle::cli {

namespace {

// Of a comment: on one line, and nothing in it that ends it.
std::string comment_text(const std::string& text) {
  std::string line;
  for (char c : clean_text(text)) line += c == '\n' || c == '\r' ? ' ' : c;
  return line;
}

// As printf takes them: every byte.
std::string octal(const std::string& bytes) {
  std::string text;
  for (unsigned char c : bytes) text += fmt::format("\\{:03o}", c);
  return text;
}

std::vector<std::string> header_lines(const EmittedTest& test) {
  std::vector<std::string> lines = {
      fmt::format("Regression test for bug {}, which depends on the thread schedule: {}", test.id, comment_text(test.failure)),
      "Made by heddle emit-test. It forces the interleaving at these places, wherever an edit has moved them:"};
  for (const std::string& place : test.places) lines.push_back("  " + comment_text(place));
  lines.emplace_back("Fails while the bug is there, passes once it is gone; skipped where heddle is not installed or the places are lost.");
  lines.emplace_back("Build the program with debug information (-g): without it the places cannot be found.");
  return lines;
}

// What every form of the test runs; `program` is a word of the shell.
std::string script_steps(const EmittedTest& test, const std::string& program) {
  std::string text;
  text += "heddle=${HEDDLE:-heddle}\n";
  text += "if ! command -v \"$heddle\" >/dev/null 2>&1; then\n";
  text += fmt::format("  echo \"skipped: heddle is not installed, and without it nothing forces the schedule of bug {}\"\n  exit 77\nfi\n",
                      test.id);
  const std::vector<std::string> arguments(test.command.begin() + 1, test.command.end());
  text += fmt::format("printf '{}' | \"$heddle\" replay --anchored {} -- {} {}\n", octal(test.input), shell_words({test.replay}), program,
                      arguments.empty() ? "" : shell_words(arguments));
  text += "code=$?\ncase $code in\n  0 | 1) exit $code ;;\nesac\n";
  text += fmt::format("echo \"skipped: heddle cannot tell whether bug {} is there (exit code $code)\"\nexit 77\n", test.id);
  return text;
}

std::string test_name(const EmittedTest& test) { return "heddle_bug_" + test.id; }

// As a raw literal of C++ that nothing in the text ends.
std::string raw_word(const std::string& text) {
  std::string mark = "heddle";
  while (text.find(fmt::format("){}\"", mark)) != std::string::npos) mark += '_';
  return fmt::format("R\"{0}({1}){0}\"", mark, text);
}

// The same in parts that every compiler takes.
std::string raw_literal(const std::string& text) {
  constexpr size_t kMost = 8000;
  std::string out;
  for (size_t at = 0; at < text.size(); at += kMost) out += "\n    " + raw_word(text.substr(at, kMost));
  return out;
}

// As CMake takes it: as it is, between brackets that nothing in the text closes. CMake leaves out the line feed right after the first.
std::string bracketed(const std::string& text) {
  std::string mark = "==";
  while (text.find(fmt::format("]{}]", mark)) != std::string::npos || text.ends_with("]" + mark)) mark += '=';
  return fmt::format("[{0}[{1}{2}]{0}]", mark, text.find('\n') != std::string::npos ? "\n" : "", text);
}

std::string cxx_test(const EmittedTest& test, const std::string& include, const std::string& head, const std::string& skip,
                     const std::string& require) {
  std::string text;
  for (const std::string& line : header_lines(test)) text += "// " + line + "\n";
  text += include;
  text += R"(#include <sys/wait.h>

#include <cstdlib>
#include <string>

// The program: $HEDDLE_TEST_PROGRAM, else the macro of that name, else this path.
#ifdef HEDDLE_TEST_PROGRAM
)";
  // A name for each test: several may be in one binary, or in one file, and each has its program.
  const std::string program = test_name(test) + "_program";
  text += fmt::format("static const char* const {} = HEDDLE_TEST_PROGRAM;\n#else\n", program);
  text += fmt::format("static const char* const {} = {};\n#endif\n\n", program, raw_word(test.command.front()));
  text += head + " {\n";
  text += "  const char* const given = std::getenv(\"HEDDLE_TEST_PROGRAM\");\n";
  text += fmt::format("  setenv(\"{0}\", given != nullptr ? given : {0}, 1);\n", program);
  text += fmt::format("  const std::string script ={};\n", raw_literal(script_steps(test, fmt::format("\"${}\"", program))));
  text += "  const int status = std::system(script.c_str());\n";
  text += "  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128;\n";
  text += fmt::format("  {}\n  {}\n}}\n", skip, require);
  return text;
}

}  // namespace

std::string shell_test(const EmittedTest& test) {
  std::string text = "#!/bin/sh\n";
  for (const std::string& line : header_lines(test)) text += "# " + line + "\n";
  text += "# usage: this script [PROGRAM]\n";
  text += fmt::format("program=${{1:-}}\n[ -n \"$program\" ] || program={}\n", shell_words({test.command.front()}));
  return text + script_steps(test, "\"$program\"");
}

std::string ctest_test(const EmittedTest& test, const std::string& target) {
  std::string text;
  for (const std::string& line : header_lines(test)) text += "# " + line + "\n";
  text += "# In a CMakeLists.txt, after enable_testing() and the program: include() this file.\n";
  text += fmt::format("file(WRITE \"${{CMAKE_CURRENT_BINARY_DIR}}/{}.sh\" {})\n", test_name(test), bracketed(shell_test(test)));
  const std::string program = target.empty() ? bracketed(test.command.front()) : fmt::format("\"$<TARGET_FILE:{}>\"", target);
  text +=
      fmt::format("add_test(NAME {} COMMAND sh \"${{CMAKE_CURRENT_BINARY_DIR}}/{}.sh\" {})\n", test_name(test), test_name(test), program);
  text += fmt::format("set_tests_properties({} PROPERTIES SKIP_RETURN_CODE 77)\n", test_name(test));
  return text;
}

std::string gtest_test(const EmittedTest& test) {
  return cxx_test(test, "#include <gtest/gtest.h>\n", fmt::format("TEST(HeddleBug, Bug{})", test.id),
                  "if (code == 77) GTEST_SKIP() << \"heddle is not installed, or cannot tell\";",
                  "ASSERT_EQ(code, 0) << \"the schedule of the bug fails again\";");
}

std::string catch2_test(const EmittedTest& test) {
  constexpr const char* kInclude = R"(#if __has_include(<catch2/catch_test_macros.hpp>)
#include <catch2/catch_test_macros.hpp>
#else
#include <catch2/catch.hpp>
#endif
#ifndef SKIP  // before Catch2 3.3
#define SKIP(text)             \
  do {                         \
    WARN("skipped: " << text); \
    return;                    \
  } while (false)
#endif
)";
  return cxx_test(test, kInclude, fmt::format("TEST_CASE(\"heddle bug {}\", \"[heddle]\")", test.id),
                  "if (code == 77) SKIP(\"heddle is not installed, or cannot tell\");", "REQUIRE(code == 0);");
}

}  // namespace heddle::cli
