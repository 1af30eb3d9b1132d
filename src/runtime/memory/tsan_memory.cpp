// Copies and fills of memory: clang 19 calls __tsan_mem*; gcc and older clangs call the C library, which heddle-cc turns with --wrap.
#include <string.h>

#include "runtime/memory/tsan_hooks.h"

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

// Functions that read or write what is given to them, in code that heddle-cc has linked. Lengths are found before the thread stands at its
// point, and the call itself finds them anew.
#define HEDDLE_WRAPPED(result, name, parameters, arguments, accesses) \
  HEDDLE_EXPORT result __wrap_##name parameters {                     \
    if (hooks_on()) {                                                 \
      [[maybe_unused]] const void* pc = __builtin_return_address(0);  \
      accesses;                                                       \
    }                                                                 \
    return name arguments;                                            \
  }

namespace {

inline __attribute__((always_inline)) void before_read(const void* from, size_t n, const void* pc) {
  if (n != 0) access(from, n, Op::kLoad, pc);
}
inline __attribute__((always_inline)) void before_text(const char* from, const void* pc) { access(from, strlen(from) + 1, Op::kLoad, pc); }
inline __attribute__((always_inline)) void before_text(const char* from, size_t most, const void* pc) {
  const size_t n = strnlen(from, most);
  before_read(from, n < most ? n + 1 : most, pc);
}

// Up to the first difference, which both texts are read to.
size_t read_by_compare(const char* a, const char* b, size_t most) {
  size_t n = 0;
  while (n < most && a[n] == b[n] && a[n] != 0) ++n;
  return n < most ? n + 1 : most;
}

void before_compare(const char* a, const char* b, size_t most, const void* pc) {
  const size_t n = read_by_compare(a, b, most);
  before_read(a, n, pc);
  before_read(b, n, pc);
}

void before_text_copy(const char* to, const char* from, const void* pc) { before_copy(to, from, strlen(from) + 1, pc); }

}  // namespace

HEDDLE_WRAPPED(int, memcmp, (const void* a, const void* b, size_t n), (a, b, n), before_read(a, n, pc); before_read(b, n, pc))
HEDDLE_WRAPPED(int, bcmp, (const void* a, const void* b, size_t n), (a, b, n), before_read(a, n, pc); before_read(b, n, pc))
HEDDLE_WRAPPED(size_t, strlen, (const char* s), (s), before_text(s, pc))
HEDDLE_WRAPPED(size_t, strnlen, (const char* s, size_t n), (s, n), before_text(s, n, pc))
HEDDLE_WRAPPED(int, strcmp, (const char* a, const char* b), (a, b), before_compare(a, b, SIZE_MAX, pc))
HEDDLE_WRAPPED(int, strncmp, (const char* a, const char* b, size_t n), (a, b, n), before_compare(a, b, n, pc))
HEDDLE_WRAPPED(char*, strcpy, (char* to, const char* from), (to, from), before_text_copy(to, from, pc))
HEDDLE_WRAPPED(char*, stpcpy, (char* to, const char* from), (to, from), before_text_copy(to, from, pc))
HEDDLE_WRAPPED(char*, strncpy, (char* to, const char* from, size_t n), (to, from, n), before_text(from, n, pc); before_fill(to, n, pc))
HEDDLE_WRAPPED(char*, strcat, (char* to, const char* from), (to, from), before_text(to, pc); before_text_copy(to + strlen(to), from, pc))
HEDDLE_WRAPPED(char*, strdup, (const char* s), (s), before_text(s, pc))
