// For the detector of races: objects that threads synchronise by are made, descriptors get another meaning, memory is unmapped.
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/base/real_io.h"
#include "runtime/base/sys.h"
#include "runtime/engine/scheduler.h"
#include "runtime/memory/library_access.h"
#include "runtime/outside/descriptor_facts.h"
#include "runtime/outside/trap.h"

using namespace heddle;
using namespace heddle::rt;

#define HEDDLE_NEXT(name)        \
  static decltype(&::name) next; \
  if (__builtin_expect(next == nullptr, 0)) next = next_symbol<decltype(&::name)>(#name);

HEDDLE_EXPORT void* mmap(void* at, size_t size, int protection, int flags, int fd, off_t offset) noexcept {
  const long result = with_errno(sys(SYS_mmap, at, size, protection, flags, fd, offset));
  // Making memory is writing it: who gets its address without any order may come before it is there.
  if (result != -1 && detecting()) memory_mapped(reinterpret_cast<void*>(result), size, __builtin_return_address(0));
  return reinterpret_cast<void*>(result);
}
HEDDLE_EXPORT void* mmap64(void* at, size_t size, int protection, int flags, int fd, off64_t offset) noexcept
    __attribute__((alias("mmap")));

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

namespace {

// A number that is in use keeps naming a file throughout: programs put another one there while others read, and mean to. Only closing it
// would be a change.
void descriptor_put(int to, bool in_use, const void* pc) {
  if (in_use) {
    descriptor_used(to, pc);
  } else {
    descriptor_made(to, pc);
  }
}

// The streams that every program has may lead elsewhere now.
int with_stream(int to) {
  if (to >= 0 && to < 3) catch_stream(to);
  return to;
}

bool is_open(int fd) { return sys(SYS_fcntl, fd, F_GETFD) >= 0; }

}  // namespace

HEDDLE_EXPORT int dup2(int from, int to) noexcept {
  HEDDLE_NEXT(dup2)
  if (from != to) forget_descriptor(to);
  if (!detecting() || from == to) return with_stream(next(from, to));
  const void* pc = __builtin_return_address(0);
  descriptor_used(from, pc);
  const bool in_use = is_open(to);
  const int result = next(from, to);
  if (result >= 0) descriptor_put(to, in_use, pc);
  return with_stream(result);
}

HEDDLE_EXPORT int dup3(int from, int to, int flags) noexcept {
  HEDDLE_NEXT(dup3)
  forget_descriptor(to);
  if (!detecting() || from == to) return with_stream(next(from, to, flags));
  const void* pc = __builtin_return_address(0);
  descriptor_used(from, pc);
  const bool in_use = is_open(to);
  const int result = next(from, to, flags);
  if (result >= 0) descriptor_put(to, in_use, pc);
  return with_stream(result);
}
