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
#include "wire/rows.h"

namespace heddle::cli {

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

// A verb of the tool: the file that has its row is all of it.
struct VerbRow {
  uint32_t rank;  // its place in --help
  void (*add)(CLI::App& app, Session& session);
};

// Options that several verbs share.
inline const std::vector<std::string> kCarriers = {"fiber", "kernel"};
inline int exit_value(ExitCode code) { return static_cast<int>(code); }

}  // namespace heddle::cli
