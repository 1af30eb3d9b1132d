// The allocation functions. Behind them stands the C library's own allocator, reached by its other names: no look-up is needed, and so
// they work before anything of ours is set up.
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <unistd.h>

#include <dlfcn.h>

#include "runtime/heap_calls.h"
#include "runtime/real.h"

using namespace heddle::rt;

#define HEDDLE_CALLER __builtin_return_address(0)

HEDDLE_EXPORT void* malloc(size_t size) { return allocate(size, HEDDLE_CALLER); }
HEDDLE_EXPORT void* calloc(size_t count, size_t size) { return allocate_zeroed(count, size, HEDDLE_CALLER); }
HEDDLE_EXPORT void* realloc(void* block, size_t size) { return reallocate(block, size, HEDDLE_CALLER); }
HEDDLE_EXPORT void free(void* block) {
  const int error = errno;
  release(block, HEDDLE_CALLER);
  errno = error;
}

HEDDLE_EXPORT void* reallocarray(void* block, size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  return reallocate(block, bytes, HEDDLE_CALLER);
}

HEDDLE_EXPORT void* memalign(size_t alignment, size_t size) { return allocate_aligned(alignment, size, HEDDLE_CALLER); }
HEDDLE_EXPORT void* aligned_alloc(size_t alignment, size_t size) { return allocate_aligned(alignment, size, HEDDLE_CALLER); }
HEDDLE_EXPORT void* valloc(size_t size) { return allocate_aligned(4096, size, HEDDLE_CALLER); }
HEDDLE_EXPORT void* pvalloc(size_t size) { return allocate_aligned(4096, (size + 4095) & ~size_t{4095}, HEDDLE_CALLER); }

HEDDLE_EXPORT int posix_memalign(void** block, size_t alignment, size_t size) {
  if (alignment % sizeof(void*) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) return EINVAL;
  const int error = errno;
  void* fresh = allocate_aligned(alignment, size, HEDDLE_CALLER);
  errno = error;
  if (fresh == nullptr) return ENOMEM;
  *block = fresh;
  return 0;
}

// The C library would take our header for its own.
HEDDLE_EXPORT size_t malloc_usable_size(void* block) noexcept {
  static size_t (*next)(void*);
  size_t size = 0;
  if (block == nullptr || block_size(block, &size)) return size;
  if (next == nullptr) next = reinterpret_cast<size_t (*)(void*)>(dlsym(RTLD_NEXT, "malloc_usable_size"));
  return next(block);
}

// operator new and delete: the place of the allocation is the program's, not the C++ library's. Where memory is short the C++ library's
// own does what the standard says: calls the handler, throws.
#define HEDDLE_NEW(name, own, parameters, arguments, allocation)                    \
  extern "C" __attribute__((visibility("default"))) void* own parameters asm(name); \
  void* own parameters {                                                            \
    void* block = allocation;                                                       \
    if (__builtin_expect(block != nullptr, 1)) return block;                        \
    auto* next = reinterpret_cast<void*(*)parameters>(dlsym(RTLD_NEXT, name));      \
    return next != nullptr ? next arguments : nullptr;                              \
  }
HEDDLE_NEW("_Znwm", new_one, (size_t n), (n), allocate(n, HEDDLE_CALLER))
HEDDLE_NEW("_Znam", new_many, (size_t n), (n), allocate(n, HEDDLE_CALLER))
HEDDLE_NEW("_ZnwmSt11align_val_t", new_one_aligned, (size_t n, size_t a), (n, a), allocate_aligned(a, n, HEDDLE_CALLER))
HEDDLE_NEW("_ZnamSt11align_val_t", new_many_aligned, (size_t n, size_t a), (n, a), allocate_aligned(a, n, HEDDLE_CALLER))
HEDDLE_NEW("_ZnwmRKSt9nothrow_t", new_one_nothrow, (size_t n, const void* t), (n, t), allocate(n, HEDDLE_CALLER))
HEDDLE_NEW("_ZnamRKSt9nothrow_t", new_many_nothrow, (size_t n, const void* t), (n, t), allocate(n, HEDDLE_CALLER))

#define HEDDLE_DELETE(name, own, parameters)                                       \
  extern "C" __attribute__((visibility("default"))) void own parameters asm(name); \
  void own parameters { release(block, HEDDLE_CALLER); }
HEDDLE_DELETE("_ZdlPv", delete_one, (void* block))
HEDDLE_DELETE("_ZdaPv", delete_many, (void* block))
HEDDLE_DELETE("_ZdlPvm", delete_one_sized, (void* block, size_t))
HEDDLE_DELETE("_ZdaPvm", delete_many_sized, (void* block, size_t))
HEDDLE_DELETE("_ZdlPvSt11align_val_t", delete_one_aligned, (void* block, size_t))
HEDDLE_DELETE("_ZdaPvSt11align_val_t", delete_many_aligned, (void* block, size_t))
HEDDLE_DELETE("_ZdlPvmSt11align_val_t", delete_one_sized_aligned, (void* block, size_t, size_t))
HEDDLE_DELETE("_ZdaPvmSt11align_val_t", delete_many_sized_aligned, (void* block, size_t, size_t))
