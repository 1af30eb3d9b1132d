// Copies and fills of memory: clang 19 calls __tsan_mem*; gcc and older clangs call the C library, which heddle-cc turns with --wrap.
#include <string.h>

#include "runtime/tsan_hooks.h"

using namespace heddle;
using namespace heddle::rt;

namespace {

inline __attribute__((always_inline)) void before_copy(const void* to, const void* from, size_t n, const void* pc) {
  if (!hooks_on() || n == 0) return;
  access(from, n, Op::kLoad, pc);
  access(to, n, Op::kStore, pc);
}

inline __attribute__((always_inline)) void before_fill(const void* to, size_t n, const void* pc) {
  if (hooks_on() && n != 0) access(to, n, Op::kStore, pc);
}

}  // namespace

#define HEDDLE_MEMORY(prefix)                                                 \
  HEDDLE_EXPORT void* prefix##memcpy(void* to, const void* from, size_t n) {  \
    before_copy(to, from, n, __builtin_return_address(0));                    \
    return memcpy(to, from, n);                                               \
  }                                                                           \
  HEDDLE_EXPORT void* prefix##memmove(void* to, const void* from, size_t n) { \
    before_copy(to, from, n, __builtin_return_address(0));                    \
    return memmove(to, from, n);                                              \
  }                                                                           \
  HEDDLE_EXPORT void* prefix##memset(void* to, int byte, size_t n) {          \
    before_fill(to, n, __builtin_return_address(0));                          \
    return memset(to, byte, n);                                               \
  }
HEDDLE_MEMORY(__tsan_)
HEDDLE_MEMORY(__wrap_)
