#pragma once
// What main hands to the commands: the words after --, and the flag that Ctrl-C sets.
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/verb.h"
#include "trace/error.h"
#include "wire/channel.h"

namespace heddle {

struct Session {
  std::vector<std::string> command;  // PROGRAM [ARGS...]
  bool command_given = false;        // there was a --
  std::function<int()> chosen;       // the verb, with its options parsed; returns the exit code

  // PROGRAM, or a usage error that says where it belongs.
  const std::vector<std::string>& program() const;
  void no_program(const std::string& verb) const;
};

// Set by Ctrl-C and by SIGTERM; a second one ends the tool at once.
std::atomic<bool>& stop_flag();
void catch_interrupts();

// One for each file of this room that is a verb.
void add_run(CLI::App& app, Session& session);
void add_doctor(CLI::App& app, Session& session);
void add_find(CLI::App& app, Session& session);
void add_check(CLI::App& app, Session& session);
void add_debug(CLI::App& app, Session& session);
void add_record(CLI::App& app, Session& session);
void add_replay(CLI::App& app, Session& session);
void add_simplify(CLI::App& app, Session& session);
void add_reduce(CLI::App& app, Session& session);
void add_isolate(CLI::App& app, Session& session);
void add_explain(CLI::App& app, Session& session);
void add_report(CLI::App& app, Session& session);
void add_list(CLI::App& app, Session& session);
void add_show(CLI::App& app, Session& session);
void add_races(CLI::App& app, Session& session);
void add_trust(CLI::App& app, Session& session);

// Options that several verbs share.
inline const std::vector<std::string> kCarriers = {"fiber", "kernel"};
inline int exit_value(ExitCode code) { return static_cast<int>(code); }

}  // namespace heddle
