#pragma once
// Saved contexts: callee-saved registers and floating-point control words on the thread's own stack, the stack pointer in *save.
#include <stdint.h>

extern "C" {
// Saves the present context, sets the FS base and continues in `to`. The fast one needs the FSGSBASE instructions (AT_HWCAP2 bit 1).
void heddle_switch_fast(void** save, void* to, uintptr_t fs_base);
void heddle_switch_slow(void** save, void* to, uintptr_t fs_base);
// Saves a resumable context, then calls function(argument) on the same stack and returns when it does. Whoever switches to *save
// meanwhile, in a forked child where this kernel thread does not exist, returns from here as well.
void heddle_call_saved(void** save, void (*function)(void*), void* argument);
// Saves a context and waits on the futex *go without touching the stack, which a fiber uses meanwhile. When *go becomes non-zero,
// continues in the context that *save holds by then.
void heddle_park(void** save, volatile int* go, volatile int* parked);
// Marks a place to come back to, as setjmp does: 0 when it is marked, 1 when somebody has come back. *mark has nothing of the stack in it.
struct HeddleMark {
  uintptr_t words[9];
};
int heddle_mark(HeddleMark* mark) __attribute__((returns_twice));
[[noreturn]] void heddle_come_back(const HeddleMark* mark);
// Calls function(argument) on another stack, for good.
[[noreturn]] void heddle_call_on(void* stack_top, void (*function)(long), long argument);
// Makes the calls of a script (wire/checkpoint.h) and goes on at its mark. The code between the two is whole in itself, wherever it lies.
void heddle_run_script(long script);
void heddle_run_script_end();  // where the first one ends
// The end of a signal handler, where the C library's own may not be used.
void heddle_signal_return();
}
