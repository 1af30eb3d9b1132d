#pragma once
// Is this process run by Valgrind, and by which tool? A client request is a sequence of instructions that does nothing on a processor.
#include <stdint.h>

namespace heddle::rt {

inline uintptr_t valgrind_request(uintptr_t number, uintptr_t a = 0, uintptr_t b = 0, uintptr_t c = 0) {
  const volatile uintptr_t arguments[6] = {number, a, b, c, 0, 0};
  uintptr_t result = 0;
  asm volatile(
      "rolq $3, %%rdi; rolq $13, %%rdi; rolq $61, %%rdi; rolq $51, %%rdi\n\t"
      "xchgq %%rbx, %%rbx"
      : "=d"(result)
      : "a"(arguments), "0"(result)
      : "cc", "memory");
  return result;
}

inline bool under_valgrind() {
  constexpr uintptr_t kRunningOnValgrind = 0x1001;
  return valgrind_request(kRunningOnValgrind) != 0;
}

}  // namespace heddle::rt
