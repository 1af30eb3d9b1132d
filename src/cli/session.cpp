#include "cli/session.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

namespace heddle::cli {

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
  // What does not look at the flag (an analysis of a long run, a proof) must not keep the user waiting. What was saved is whole.
  static constexpr unsigned kGraceSeconds = 5;
  ::signal(SIGALRM, [](int) { ::_exit(exit_value(ExitCode::kInterrupted)); });
  struct sigaction action {};
  action.sa_handler = [](int) {
    if (stop_flag().exchange(true)) ::_exit(exit_value(ExitCode::kInterrupted));
    ::alarm(kGraceSeconds);
  };
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  ::sigaction(SIGHUP, &action, nullptr);
}

}  // namespace heddle::cli
