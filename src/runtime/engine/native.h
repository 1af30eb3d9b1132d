#pragma once

namespace heddle::rt {

// A stretch in which the runtime itself waits through glibc, for a kernel thread and not for one of the program: glibc's inner calls are
// not put under control (outside/trap.h).
extern int g_native;
class Native {
 public:
  Native() { ++g_native; }
  ~Native() { --g_native; }
  Native(const Native&) = delete;
  Native& operator=(const Native&) = delete;
};

}  // namespace heddle::rt
