#pragma once
// Nothing that the tool starts outlives it: not a server that drops its rights (the kernel then forgets that it should die with its parent), not a
// child of the program, not a daemon in a session of its own; and not when the tool is killed. A small process waits for the tool's
// end and then ends what is left: whoever has our channel in its environment, or is in the process group of a program that was started.
#include <sys/types.h>

namespace heddle::exec {

// Starts the guard, once. Before the first program; without one (no more processes) the tool goes on as it is.
void start_guard();
// The program leads this process group; and: nobody is left in it, its number may become somebody else's.
void guard_group(pid_t group);
void forget_group(pid_t group);

// The program that led this group (0: none) has ended and was not waited for yet, so that nobody else can have its number. Ends what it has left
// behind. Only where the tool has no other program.
void end_leftovers(pid_t group);

}  // namespace heddle::exec
