#pragma once
// Where in the program the calling thread is: the innermost frame that is not ours, and what its function will find in the registers that
// calls preserve.
#include <stdint.h>

namespace heddle::rt {

struct ProgramFrame {
  uintptr_t pc;
  uintptr_t stack;     // its stack pointer, after the call has returned
  uintptr_t saved[6];  // rbx, rbp, r12 to r15
};

void load_unwinder();  // at the start: later it may be too late
// False where it could not be found out.
bool find_program_frame(ProgramFrame* frame);

}  // namespace heddle::rt
