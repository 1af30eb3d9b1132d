#pragma once
// Which functions of the program are entered, instrumented or not: a breakpoint at each, gone when it is first met.

namespace heddle::rt {

// Puts breakpoints at the functions that the plan's `sites` name, once in a process; its forked copies inherit them.
void watch_functions();
bool watching_functions();
// A trap, with the kernel's context of it. True: it was one of ours, and the program goes on as if nothing had been there.
bool function_entered(void* context);

}  // namespace heddle::rt
