#pragma once
// Signals that are sent to the tool while it runs somebody's program in its own place are meant for the program.
#include <signal.h>
#include <sys/types.h>

#include <array>

namespace heddle {

// While it lives, TERM, HUP, USR1 and USR2 go on to the process, and an INT that somebody sent. An INT of the terminal reaches the whole
// group anyway. What the tool ignores stays ignored.
class Forwarding {
 public:
  Forwarding();
  ~Forwarding();
  Forwarding(const Forwarding&) = delete;
  Forwarding& operator=(const Forwarding&) = delete;
  void to(pid_t process);  // what has come before goes there, too. 0: there is none any more

 private:
  std::array<struct sigaction, 5> before_{};
};

}  // namespace heddle
