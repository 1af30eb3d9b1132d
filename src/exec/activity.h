#pragma once
// What the kernel says of a process.
#include <sys/types.h>

#include <cstdint>

#include "wire/rooms.h"

namespace heddle::exec {

// Processor time that a process has used, in milliseconds, and its state letter; 'Z' if it is gone.
struct Activity {
  uint64_t used_ms = 0;
  char state = 'Z';
};
Activity activity_of(pid_t pid);

// A thread of it that runs or wants to; 0: there is none.
pid_t running_thread(pid_t pid);

}  // namespace heddle::exec
