// OpenMP's critical sections, atomic blocks and locks. libgomp's own are a word in memory that it changes without a call while nobody
// contends; here they are mutexes of the run, so that a switch can happen at each. Locks that are not nested are semaphores: libgomp lets
// any thread give one back, and programs do (the last of several readers gives back what the first one took).
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>

#include "runtime/base/placement.h"
#include "runtime/base/real.h"
#include "runtime/engine/names.h"
#include "runtime/engine/run.h"

using namespace heddle::rt;

namespace {

struct Lock {
  const void* address;    // of the program's lock, or of the pointer that names a critical section
  pthread_mutex_t mutex;  // of a critical section or a nested lock
  sem_t semaphore;        // of a lock that is not nested
  uint32_t depth;         // of a nested lock
};
constexpr uint32_t kMaxLocks = 1024;
HEDDLE_APART Lock g_locks[kMaxLocks];
uint32_t g_lock_count;
pthread_mutex_t g_unnamed = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t g_atomic = PTHREAD_MUTEX_INITIALIZER;

Lock* lock_at(const void* address, int type) {
  Lock* free = nullptr;
  for (uint32_t i = 0; i < g_lock_count; ++i) {
    if (g_locks[i].address == address) return &g_locks[i];
    if (g_locks[i].address == nullptr) free = &g_locks[i];
  }
  if (free == nullptr) free = &g_locks[g_lock_count < kMaxLocks ? g_lock_count++ : kMaxLocks - 1];
  free->address = address;
  free->depth = 0;
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, type);
  pthread_mutex_init(&free->mutex, &attributes);
  sem_init(&free->semaphore, 0, 1);
  return free;
}

void forget_lock(const void* address) {
  for (uint32_t i = 0; i < g_lock_count; ++i) {
    if (g_locks[i].address == address) g_locks[i].address = nullptr;
  }
}

Lock* plain(const void* address) { return lock_at(address, PTHREAD_MUTEX_NORMAL); }
Lock* nested(const void* address) { return lock_at(address, PTHREAD_MUTEX_RECURSIVE); }

}  // namespace

#define HEDDLE_FROM_CALLER CalledFrom outer(__builtin_return_address(0))

HEDDLE_EXPORT void GOMP_critical_start() {
  HEDDLE_FROM_CALLER;
  pthread_mutex_lock(&g_unnamed);
}
HEDDLE_EXPORT void GOMP_critical_end() {
  HEDDLE_FROM_CALLER;
  pthread_mutex_unlock(&g_unnamed);
}
HEDDLE_EXPORT void GOMP_critical_name_start(void** name) {
  HEDDLE_FROM_CALLER;
  pthread_mutex_lock(&plain(name)->mutex);
}
HEDDLE_EXPORT void GOMP_critical_name_end(void** name) {
  HEDDLE_FROM_CALLER;
  pthread_mutex_unlock(&plain(name)->mutex);
}
HEDDLE_EXPORT void GOMP_atomic_start() {
  HEDDLE_FROM_CALLER;
  pthread_mutex_lock(&g_atomic);
}
HEDDLE_EXPORT void GOMP_atomic_end() {
  HEDDLE_FROM_CALLER;
  pthread_mutex_unlock(&g_atomic);
}

HEDDLE_EXPORT void omp_init_lock(void* lock) { forget_lock(lock); }
HEDDLE_EXPORT void omp_init_nest_lock(void* lock) { forget_lock(lock); }
HEDDLE_EXPORT void omp_destroy_lock(void* lock) { forget_lock(lock); }
HEDDLE_EXPORT void omp_destroy_nest_lock(void* lock) { forget_lock(lock); }
HEDDLE_EXPORT void omp_set_lock(void* lock) {
  HEDDLE_FROM_CALLER;
  while (sem_wait(&plain(lock)->semaphore) != 0) {
  }
}
HEDDLE_EXPORT void omp_unset_lock(void* lock) {
  HEDDLE_FROM_CALLER;
  sem_t* semaphore = &plain(lock)->semaphore;
  int value = 0;
  sem_getvalue(semaphore, &value);
  if (value == 0) sem_post(semaphore);  // of one that nobody holds: nothing happens
}
HEDDLE_EXPORT int omp_test_lock(void* lock) {
  HEDDLE_FROM_CALLER;
  return sem_trywait(&plain(lock)->semaphore) == 0 ? 1 : 0;
}
HEDDLE_EXPORT void omp_set_nest_lock(void* lock) {
  HEDDLE_FROM_CALLER;
  Lock* l = nested(lock);
  pthread_mutex_lock(&l->mutex);
  ++l->depth;
}
HEDDLE_EXPORT void omp_unset_nest_lock(void* lock) {
  HEDDLE_FROM_CALLER;
  Lock* l = nested(lock);
  --l->depth;
  pthread_mutex_unlock(&l->mutex);
}
HEDDLE_EXPORT int omp_test_nest_lock(void* lock) {
  HEDDLE_FROM_CALLER;
  Lock* l = nested(lock);
  if (pthread_mutex_trylock(&l->mutex) != 0) return 0;
  return static_cast<int>(++l->depth);
}
