#pragma once
// A memory access of plain code as an operation of the run: a place where the tool has found that it may race, or that it is atomic.
#include <stddef.h>
#include <stdint.h>

#include "wire/code_point.h"

namespace heddle::rt {

// The thread has come to the place; when this returns it executes the instruction, and nobody else runs before. `registers` as in
// CodeStep; `bias`: where the module is loaded.
void access_of_code(const CodePoint& point, const uint64_t* registers, uintptr_t bias);

// A block is about to be freed. Where the run's last event is this thread's call of a function (`free`, a destructor), that call is the free: now
// it is known what it does, and to what.
void call_frees(uintptr_t start, size_t size);

}  // namespace heddle::rt
