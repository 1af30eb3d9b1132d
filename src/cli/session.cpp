#include "cli/session.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

namespace heddle {

const std::vector<std::string>& Session::program() const {
  if (!command_given || command.empty()) throw Error("no program given: heddle VERB [options] -- PROGRAM [ARGS...]", ExitCode::kUsage);
  return command;
}

void Session::no_program(const std::string& verb) const {
  if (command_given) throw Error(fmt::format("{} takes a saved bug, not a program", verb), ExitCode::kUsage);
}

std::atomic<bool>& stop_flag() {
  static std::atomic<bool> flag{false};
  return flag;
}

void catch_interrupts() {
  stop_flag();
  struct sigaction action {};
  action.sa_handler = [](int) {
    if (stop_flag().exchange(true)) ::_exit(exit_value(ExitCode::kInterrupted));
  };
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  ::sigaction(SIGHUP, &action, nullptr);
}

}  // namespace heddle
