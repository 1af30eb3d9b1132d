#pragma once
// A memory access of plain code as an operation of the run: a place where the tool has found that it may race, or that it is atomic.
#include <stdint.h>

#include "wire/code_point.h"

namespace heddle::rt {

// The thread has come to the place; when this returns it executes the instruction, and nobody else runs before. `registers` as in
// CodeStep; `bias`: where the module is loaded.
void access_of_code(const CodePoint& point, const uint64_t* registers, uintptr_t bias);

}  // namespace heddle::rt
