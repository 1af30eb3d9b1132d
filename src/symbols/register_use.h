#pragma once
// What becomes of a value that an instruction leaves in a register.
#include "symbols/machine_code.h"

namespace heddle::symbols {

// No way through the function from behind the instruction uses what it has left in the register before something else is put there. Where that
// cannot be known, it is used.
bool is_unused_after(const DecodedFunction& function, size_t instruction, int reg);

}  // namespace heddle::symbols
