// For the detector of races: objects that threads synchronise by are made, descriptors get another meaning, memory is unmapped.
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/library_access.h"
#include "runtime/real_io.h"
#include "runtime/scheduler.h"

using namespace heddle;
using namespace heddle::rt;

#define HEDDLE_NEXT(name)        \
  static decltype(&::name) next; \
  if (__builtin_expect(next == nullptr, 0)) next = next_symbol<decltype(&::name)>(#name);

HEDDLE_EXPORT int munmap(void* at, size_t size) noexcept {
  HEDDLE_NEXT(munmap)
  const int result = next(at, size);
  // What is mapped there next has nothing to do with what was.
  if (result == 0 && detecting()) forget_accesses(reinterpret_cast<uintptr_t>(at), size);
  return result;
}

HEDDLE_EXPORT int pthread_mutex_init(pthread_mutex_t* m, const pthread_mutexattr_t* attributes) noexcept {
  HEDDLE_NEXT(pthread_mutex_init)
  sync_object_made(m, __builtin_return_address(0));
  return next(m, attributes);
}

HEDDLE_EXPORT int pthread_cond_init(pthread_cond_t* c, const pthread_condattr_t* attributes) noexcept {
  HEDDLE_NEXT(pthread_cond_init)
  sync_object_made(c, __builtin_return_address(0));
  return next(c, attributes);
}

HEDDLE_EXPORT int pthread_rwlock_init(pthread_rwlock_t* l, const pthread_rwlockattr_t* attributes) noexcept {
  HEDDLE_NEXT(pthread_rwlock_init)
  sync_object_made(l, __builtin_return_address(0));
  return next(l, attributes);
}

HEDDLE_EXPORT int pthread_barrier_init(pthread_barrier_t* b, const pthread_barrierattr_t* attributes, unsigned count) noexcept {
  HEDDLE_NEXT(pthread_barrier_init)
  sync_object_made(b, __builtin_return_address(0));
  return next(b, attributes, count);
}

HEDDLE_EXPORT int dup2(int from, int to) noexcept {
  HEDDLE_NEXT(dup2)
  if (!detecting() || from == to) return next(from, to);
  const void* pc = __builtin_return_address(0);
  descriptor_used(from, pc);
  descriptor_closed(to, pc);
  const int result = next(from, to);
  descriptor_made(result, pc);
  return result;
}

HEDDLE_EXPORT int dup3(int from, int to, int flags) noexcept {
  HEDDLE_NEXT(dup3)
  if (!detecting() || from == to) return next(from, to, flags);
  const void* pc = __builtin_return_address(0);
  descriptor_used(from, pc);
  descriptor_closed(to, pc);
  const int result = next(from, to, flags);
  descriptor_made(result, pc);
  return result;
}
