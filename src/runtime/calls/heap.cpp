// The allocation functions. Behind them stands the C library's own allocator, reached by its other names: no look-up is needed, and so
// they work before anything of ours is set up. Where a sanitizer's library is loaded, its allocator stands behind them, since the checks
// that the compiler has put into the program rest on it: every call is passed on to it as it is.
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <unistd.h>

#include <dlfcn.h>

#include "runtime/base/real.h"
#include "runtime/engine/sanitizer.h"
#include "runtime/memory/heap_calls.h"

using namespace heddle::rt;

#define HEDDLE_CALLER __builtin_return_address(0)
// The next function of this name and type, looked up once. The look-up itself may come back here: then nullptr.
static bool g_looking_up;
#define HEDDLE_NEXT(name, result, parameters)                                 \
  ([]() {                                                                     \
    static result(*found) parameters;                                         \
    if (__builtin_expect(found == nullptr && !g_looking_up, 0)) {             \
      g_looking_up = true;                                                    \
      found = reinterpret_cast<result(*) parameters>(dlsym(RTLD_NEXT, name)); \
      g_looking_up = false;                                                   \
    }                                                                         \
    return found;                                                             \
  }())
// One function: to the sanitizer's, or `own`.
#define HEDDLE_ALLOCATION(name, result, parameters, arguments, own)                                    \
  HEDDLE_EXPORT result name parameters {                                                               \
    if (__builtin_expect(sanitizer_owns_heap(), 0)) {                                                  \
      if (auto* next = HEDDLE_NEXT(#name, result, parameters); next != nullptr) return next arguments; \
    }                                                                                                  \
    return own;                                                                                        \
  }

static void* allocate_many(void* block, size_t count, size_t size, const void* pc) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  return reallocate(block, bytes, pc);
}

static int allocate_for_posix(void** block, size_t alignment, size_t size, const void* pc) {
  if (alignment % sizeof(void*) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) return EINVAL;
  const int error = errno;
  void* fresh = allocate_aligned(alignment, size, pc);
  errno = error;
  if (fresh == nullptr) return ENOMEM;
  *block = fresh;
  return 0;
}

HEDDLE_ALLOCATION(malloc, void*, (size_t n), (n), allocate(n, HEDDLE_CALLER))
HEDDLE_ALLOCATION(calloc, void*, (size_t count, size_t n), (count, n), allocate_zeroed(count, n, HEDDLE_CALLER))
HEDDLE_ALLOCATION(realloc, void*, (void* block, size_t n), (block, n), reallocate(block, n, HEDDLE_CALLER))
HEDDLE_ALLOCATION(reallocarray, void*, (void* block, size_t count, size_t n), (block, count, n),
                  allocate_many(block, count, n, HEDDLE_CALLER))
HEDDLE_ALLOCATION(memalign, void*, (size_t alignment, size_t n), (alignment, n), allocate_aligned(alignment, n, HEDDLE_CALLER))
HEDDLE_ALLOCATION(aligned_alloc, void*, (size_t alignment, size_t n), (alignment, n), allocate_aligned(alignment, n, HEDDLE_CALLER))
HEDDLE_ALLOCATION(valloc, void*, (size_t n), (n), allocate_aligned(4096, n, HEDDLE_CALLER))
HEDDLE_ALLOCATION(pvalloc, void*, (size_t n), (n), allocate_aligned(4096, (n + 4095) & ~size_t{4095}, HEDDLE_CALLER))
HEDDLE_ALLOCATION(posix_memalign, int, (void** block, size_t alignment, size_t n), (block, alignment, n),
                  allocate_for_posix(block, alignment, n, HEDDLE_CALLER))

HEDDLE_EXPORT void free(void* block) {
  if (__builtin_expect(sanitizer_owns_heap(), 0)) {
    // What the look-up gives back to itself is a sentence that nobody will read.
    if (auto* next = HEDDLE_NEXT("free", void, (void*)); next != nullptr) next(block);
    return;
  }
  const int error = errno;
  release(block, HEDDLE_CALLER);
  errno = error;
}

// The C library would take our header for its own.
HEDDLE_EXPORT size_t malloc_usable_size(void* block) noexcept {
  size_t size = 0;
  if (block == nullptr || block_size(block, &size)) return size;
  return HEDDLE_NEXT("malloc_usable_size", size_t, (void*))(block);
}

// operator new and delete: the place of the allocation is the program's, not the C++ library's. Where memory is short the C++ library's
// own does what the standard says: calls the handler, throws.
#define HEDDLE_NEW(name, own, parameters, arguments, allocation)                    \
  extern "C" __attribute__((visibility("default"))) void* own parameters asm(name); \
  void* own parameters {                                                            \
    if (__builtin_expect(!sanitizer_owns_heap(), 1)) {                              \
      void* block = allocation;                                                     \
      if (__builtin_expect(block != nullptr, 1)) return block;                      \
    }                                                                               \
    auto* next = HEDDLE_NEXT(name, void*, parameters);                              \
    return next != nullptr ? next arguments : nullptr;                              \
  }
HEDDLE_NEW("_Znwm", new_one, (size_t n), (n), allocate(n, HEDDLE_CALLER))
HEDDLE_NEW("_Znam", new_many, (size_t n), (n), allocate(n, HEDDLE_CALLER))
HEDDLE_NEW("_ZnwmSt11align_val_t", new_one_aligned, (size_t n, size_t a), (n, a), allocate_aligned(a, n, HEDDLE_CALLER))
HEDDLE_NEW("_ZnamSt11align_val_t", new_many_aligned, (size_t n, size_t a), (n, a), allocate_aligned(a, n, HEDDLE_CALLER))
HEDDLE_NEW("_ZnwmRKSt9nothrow_t", new_one_nothrow, (size_t n, const void* t), (n, t), allocate(n, HEDDLE_CALLER))
HEDDLE_NEW("_ZnamRKSt9nothrow_t", new_many_nothrow, (size_t n, const void* t), (n, t), allocate(n, HEDDLE_CALLER))
#define HEDDLE_DELETE(name, own, parameters, arguments)                             \
  extern "C" __attribute__((visibility("default"))) void own parameters asm(name);  \
  void own parameters {                                                             \
    if (__builtin_expect(!sanitizer_owns_heap(), 1)) {                              \
      release(block, HEDDLE_CALLER);                                                \
    } else if (auto* next = HEDDLE_NEXT(name, void, parameters); next != nullptr) { \
      next arguments;                                                               \
    }                                                                               \
  }
HEDDLE_DELETE("_ZdlPv", delete_one, (void* block), (block))
HEDDLE_DELETE("_ZdaPv", delete_many, (void* block), (block))
HEDDLE_DELETE("_ZdlPvm", delete_one_sized, (void* block, size_t n), (block, n))
HEDDLE_DELETE("_ZdaPvm", delete_many_sized, (void* block, size_t n), (block, n))
HEDDLE_DELETE("_ZdlPvSt11align_val_t", delete_one_aligned, (void* block, size_t a), (block, a))
HEDDLE_DELETE("_ZdaPvSt11align_val_t", delete_many_aligned, (void* block, size_t a), (block, a))
HEDDLE_DELETE("_ZdlPvmSt11align_val_t", delete_one_sized_aligned, (void* block, size_t n, size_t a), (block, n, a))
HEDDLE_DELETE("_ZdaPvmSt11align_val_t", delete_many_sized_aligned, (void* block, size_t n, size_t a), (block, n, a))
