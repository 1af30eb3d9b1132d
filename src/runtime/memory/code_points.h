#pragma once
// Places in plain code that are operations of the run (wire/code_point.h): the jump or breakpoint there, the stub that it leads to, and
// what the tool asks of a run that comes to no point. Written only where program_text.h allows it.
#include <signal.h>
#include <stdint.h>

#include "wire/code_point.h"

namespace heddle::rt {

// Those of the plan, once in a process; its forked copies inherit them. Those whose module is not there yet come with it.
void install_code_points();
void install_code_points_of_new_modules();

// A fault: where it happened in a copy, the context gets to say where the original is.
void fault_in_code(void* context);

// A SIGTRAP, with the kernel's context of it. True: it was ours, and the program goes on.
bool code_trap(const siginfo_t* info, void* context);

}  // namespace heddle::rt
