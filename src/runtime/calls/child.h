#pragma once
// What surrounds each way of making a child process.
#include <sys/types.h>

#include "runtime/engine/run.h"
#include "runtime/engine/waits.h"

namespace heddle::rt {

// This thread is about to make one: the number that it will have.
pid_t before_child();
// In the child: it is none of the run.
void on_child();
// What the call that made it returned, as the program sees it.
pid_t made_child(pid_t child, pid_t number);
// Is the wait for a child over that the thread stands before? The replay of a recording asks that.
bool child_over(const ThreadSlot& thread, const ChildWait& wait);

}  // namespace heddle::rt
