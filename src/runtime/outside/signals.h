#pragma once
// What the program has asked to be done with each signal, and what the kernel is told instead: our own handler stands before each of
// the program's, and fatal signals leave their site and stack in the trace before they kill the process.
#include <signal.h>

namespace heddle::rt {

struct ThreadSlot;

void catch_fatal_signals();
// The kernel thread's alternate signal stack becomes this thread's own, or ours where it has none.
void use_alternate_stack(const ThreadSlot* thread);

// The program's view. It never shows a handler of ours.
struct sigaction program_action(int number);
int set_program_action(int number, const struct sigaction& action);
// With the present view, would the signal be dropped, would it end the process?
bool is_ignored(int number);
bool has_handler(int number);
// siginterrupt: handlers that signal() installs let calls end with EINTR.
bool interrupts(int number);
// Ends the process as the signal's default action does, with the outcome recorded; returns for signals that only stop it.
void die_of(int number);
// What the kernel does to a thread that writes where nobody reads. Writes to sockets ask it not to, so that a replay can do the same.
void broken_pipe();

}  // namespace heddle::rt
