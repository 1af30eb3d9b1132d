#pragma once
#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "exec/target.h"

namespace heddle::exec {

inline constexpr int kShownDescriptor = 901;

class FileView;

struct Launch {
  std::vector<std::pair<std::string, std::string>> variables;  // on top of the target's environment; replace what is there
  int in = -1, out = -1, err = -1;                             // -1: inherited
  bool own_group = true;                                       // false: a terminal's Ctrl-C reaches the program too
  bool apart = false;              // without own_group: a group of its own, for a program that is the tool's only one
  bool leaves_daemons = false;     // without own_group: what it left running stays, such as the server of a build system
  int channel = -1;                // the memory shared with the program
  int shown[2] = {-1, -1};         // files that the program finds at kShownDescriptor and after it
  const FileView* view = nullptr;  // the files it sees; nullptr: the tool's
};

// A started program. It cannot outlive the thread that started it, and so not the tool: the kernel kills it then, even after kill -9. What it
// starts, and a program that the kernel forgets to kill, the guard ends (guard.h).
class Process {
 public:
  // Throws Error when the program cannot be executed. What was refused but is not needed is said in `notes`.
  Process(const Target& target, const Launch& launch, std::vector<std::string>& notes);
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process();  // kills what is left of it

  pid_t pid() const { return pid_; }
  // The wait status, once it has ended.
  std::optional<int> ended();
  int wait();
  // Waits at most so long.
  std::optional<int> wait_for(int milliseconds);
  void kill_all();

 private:
  std::optional<int> look(int options);

  pid_t pid_ = -1;
  bool own_group_;
  bool leads_group_ = false;
  bool leaves_daemons_;
  std::optional<int> status_;
};

// "exit code 3", "signal 11 (Segmentation fault)"
std::string describe_status(int wait_status);

// Does the system let a program run without address-space randomisation? Asked once.
bool can_fix_addresses();

}  // namespace heddle::exec
