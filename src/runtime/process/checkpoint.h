#pragma once
// A checkpoint of a recorded run (wire/checkpoint.h): the process's memory, read by the tool from a copy that a raw fork makes, and beside it in
// that memory what the kernel keeps for the process. On fibers every thread of the program is memory.

#include <stdint.h>

namespace heddle::rt {

// Not 0: this process was made of a checkpoint, and waits for a debugger (wire/debug_map.h).
extern uint32_t g_held_for_debugger;

// At a point of a recorded run: leaves a checkpoint if the tool wants one.
void look_for_checkpoint();

// In the first constructor of a process that is to become a checkpoint: does not come back.
bool is_to_be_restored();
[[noreturn]] void become_checkpoint(int channel);

}  // namespace heddle::rt
