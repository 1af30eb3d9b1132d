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

struct CallFrame {
  uintptr_t pc;   // a return address
  uintptr_t end;  // its call frame address: the caller's part of the stack begins there; 0 if not known
};
// Those of the calling thread that are not ours, innermost first; how many.
int find_call_frames(CallFrame* frames, int most);

}  // namespace heddle::rt
