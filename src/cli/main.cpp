#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <new>
#include <sstream>
#include <string>
#include <vector>

#include "cli/print.h"
#include "cli/session.h"

namespace heddle {
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
  app.footer(
      "heddle VERB [options] -- PROGRAM [ARGS...]\nExit codes: 0 nothing found, 1 a failure, 2 usage, 125 cannot test, "
      "130 interrupted.");
  for (auto add : {add_debug, add_run, add_find, add_check, add_record, add_replay, add_simplify, add_reduce, add_isolate, add_explain,
                   add_report, add_races, add_list, add_show, add_trust, add_doctor}) {
    add(app, session);
  }
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

}  // namespace
}  // namespace heddle

int main(int count, char** words) {
  try {
    const int code = heddle::run_tool(count, words);
    // An answer that nobody could read is none.
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
    heddle::print_err("heddle: the answer could not be written to standard output\n");
    return static_cast<int>(heddle::ExitCode::kCannotTest);
  } catch (const heddle::Error& error) {
    heddle::print_err("heddle: {}\n", error.what());
    return static_cast<int>(error.exit_code());
  } catch (const std::bad_alloc&) {
    heddle::print_err("heddle: out of memory\n");
  } catch (const std::exception& error) {
    heddle::print_err("heddle: {}\n", error.what());
  }
  return static_cast<int>(heddle::ExitCode::kCannotTest);
}
