#pragma once
// Freed blocks of instrumented programs, first in first out, bounded: a use of one is seen and reported with all three places.
#include <stddef.h>
#include <stdint.h>

namespace heddle::rt {

inline constexpr size_t kQuarantineBlock = size_t{4} << 20;  // larger blocks are not kept

void enter_quarantine(uintptr_t start, const void* pc);
[[noreturn]] void report_double_free(const void* block, const void* pc);

}  // namespace heddle::rt
