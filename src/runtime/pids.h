#pragma once
// Process and thread numbers as the program sees them. With an env_seed they are the same in every run; without one they are the real
// ones.
#include <sys/types.h>

#include "runtime/thread.h"

namespace heddle::rt {

pid_t program_pid();
pid_t program_parent();
pid_t program_tid(const ThreadSlot& thread);
ThreadSlot* thread_with_tid(pid_t tid);

// A process number from the program, as the kernel knows it; and back.
pid_t real_pid(pid_t seen);
pid_t seen_pid(pid_t real);
bool is_this_process(pid_t seen);

// A child has been started: gives the number that the program sees.
pid_t child_started(pid_t real);
void child_reaped(pid_t real);
uint32_t live_children();

}  // namespace heddle::rt
