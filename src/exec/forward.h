#pragma once
// Signals that are sent to the tool while it runs somebody's program in its own place are meant for the program.
#include <signal.h>
#include <sys/types.h>

#include <array>

namespace heddle::exec {

// While it lives, TERM, HUP, USR1, USR2, INT and QUIT go on to the process. Under a terminal, whose keys reach the whole group anyway, only those that
// somebody sent. What the tool was told to ignore stays ignored.
class Forwarding {
 public:
  explicit Forwarding(bool terminal);
  ~Forwarding();
  Forwarding(const Forwarding&) = delete;
  Forwarding& operator=(const Forwarding&) = delete;
  void to(pid_t process);  // what has come before goes there, too. 0: there is none any more

 private:
  std::array<struct sigaction, 6> before_{};
};

}  // namespace heddle::exec
