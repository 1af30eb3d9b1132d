#include "exec/forward.h"

#include <cerrno>

namespace heddle::exec {

namespace {

constexpr std::array kForwarded = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGINT, SIGQUIT};
volatile sig_atomic_t g_terminal;
volatile sig_atomic_t g_forward_to;
volatile sig_atomic_t g_early[kForwarded.size()];  // came before there was a process

void pass_on(int number, siginfo_t* info, void*) {
  if (g_terminal != 0 && info->si_code != SI_USER) return;
  const int saved = errno;
  if (g_forward_to > 0) {
    ::kill(g_forward_to, number);
  } else {
    for (size_t i = 0; i < kForwarded.size(); ++i) {
      if (kForwarded[i] == number) g_early[i] = 1;
    }
  }
  errno = saved;
}

}  // namespace

Forwarding::Forwarding(bool terminal) {
  g_terminal = terminal ? 1 : 0;
  g_forward_to = 0;
  struct sigaction ours {};
  ours.sa_sigaction = pass_on;
  ours.sa_flags = SA_SIGINFO | SA_RESTART;
  ::sigfillset(&ours.sa_mask);
  for (size_t i = 0; i < kForwarded.size(); ++i) {
    g_early[i] = 0;
    ::sigaction(kForwarded[i], nullptr, &before_[i]);
    // The tool itself ignores these two during a plain run.
    const bool ours_to_ignore = kForwarded[i] == SIGINT || kForwarded[i] == SIGQUIT;
    if (before_[i].sa_handler != SIG_IGN || ours_to_ignore) ::sigaction(kForwarded[i], &ours, nullptr);
  }
}

Forwarding::~Forwarding() {
  for (size_t i = 0; i < kForwarded.size(); ++i) ::sigaction(kForwarded[i], &before_[i], nullptr);
  g_forward_to = 0;
}

void Forwarding::to(pid_t process) {
  g_forward_to = process;
  for (size_t i = 0; i < kForwarded.size() && process > 0; ++i) {
    if (g_early[i] != 0) ::kill(process, kForwarded[i]);
  }
}

}  // namespace heddle::exec
