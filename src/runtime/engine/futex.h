#pragma once
#include <stdint.h>
#include <time.h>

namespace heddle::rt {

// The futex system call, modelled: waits are queues of ours. Returns what the kernel would (-errno), or kFutexUnknown for an operation
// that is not modelled.
inline constexpr long kFutexUnknown = -4096;
long model_futex(uint32_t* address, int operation, uint32_t value, const timespec* timeout, uint32_t* second, uint32_t value3, void* pc);

}  // namespace heddle::rt
