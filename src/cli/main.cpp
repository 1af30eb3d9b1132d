#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <new>
#include <sstream>
#include <string>
#include <vector>

#include "cli/defaults.h"
#include "cli/print.h"
#include "cli/session.h"
#include "exec/inheritance.h"
#include "trace/rows.h"

namespace heddle::cli {

HEDDLE_TABLE(verbs, VerbRow);

namespace {

// Everything after the first -- belongs to the program, whatever it looks like.
int run_tool(int count, char** words) {
  Session session;
  std::vector<std::string> own;
  int at = 1;
  for (; at < count && std::string(words[at]) != "--"; ++at) own.emplace_back(words[at]);
  if (at < count) {
    session.command_given = true;
    session.command.assign(words + at + 1, words + count);
  }

  CLI::App app(
      "Heddle takes control of a program's thread schedule: it finds a schedule that fails, replays it exactly,\n"
      "shrinks it to the switches that matter and shows the bug in the source.",
      "heddle");
  app.set_version_flag("--version", std::string("heddle ") + HEDDLE_VERSION);
  app.require_subcommand(1);
  set_help(app, TakesProgram::kYes);
  app.footer("Exit codes: 0 nothing found, 1 a failure, 2 usage, 125 cannot test, 130 interrupted.");
  for (const VerbRow& verb : rows_by_rank(rows_begin_verbs, rows_end_verbs)) verb.add(app, session);
  own = with_defaults(app, std::move(own));
  std::vector<std::string> reversed(own.rbegin(), own.rend());
  try {
    app.parse(reversed);
  } catch (const CLI::ParseError& error) {
    std::ostringstream out, err;
    const int code = app.exit(error, out, err);
    print_out("{}", out.str());
    print_err("{}", err.str());
    return code == 0 ? 0 : exit_value(ExitCode::kUsage);
  }
  return session.chosen();
}

int answer(int count, char** words) {
  try {
    const int code = run_tool(count, words);
    // An answer that nobody could read is none.
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
    print_err("heddle: the answer could not be written to standard output\n");
    return static_cast<int>(ExitCode::kCannotTest);
  } catch (const Error& error) {
    print_err("heddle: {}\n", error.what());
    return static_cast<int>(error.exit_code());
  } catch (const std::bad_alloc&) {
    print_err("heddle: out of memory\n");
  } catch (const std::exception& error) {
    print_err("heddle: {}\n", error.what());
  }
  return static_cast<int>(ExitCode::kCannotTest);
}

}  // namespace
}  // namespace heddle::cli

int main(int count, char** words) {
  heddle::cli::make_room();
  return heddle::cli::on_large_stack(heddle::cli::answer, count, words);
}
