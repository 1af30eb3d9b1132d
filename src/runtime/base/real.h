#pragma once
// The C library's own functions, behind our interposers. Resolved once; safe to ask for at any time, also before our constructor.
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

namespace heddle::rt {

// name, result type, parameter types
#define HEDDLE_REAL_FUNCTIONS(X)                                                                  \
  X(pthread_create, int, (pthread_t*, const pthread_attr_t*, void* (*)(void*), void*))            \
  X(pthread_join, int, (pthread_t, void**))                                                       \
  X(pthread_detach, int, (pthread_t))                                                             \
  X(pthread_exit, void, (void*))                                                                  \
  X(pthread_key_create, int, (pthread_key_t*, void (*)(void*)))                                   \
  X(pthread_key_delete, int, (pthread_key_t))                                                     \
  X(pthread_mutex_init, int, (pthread_mutex_t*, const pthread_mutexattr_t*))                      \
  X(pthread_mutex_destroy, int, (pthread_mutex_t*))                                               \
  X(pthread_mutex_lock, int, (pthread_mutex_t*))                                                  \
  X(pthread_mutex_trylock, int, (pthread_mutex_t*))                                               \
  X(pthread_mutex_timedlock, int, (pthread_mutex_t*, const timespec*))                            \
  X(pthread_mutex_clocklock, int, (pthread_mutex_t*, clockid_t, const timespec*))                 \
  X(pthread_mutex_unlock, int, (pthread_mutex_t*))                                                \
  X(pthread_cond_init, int, (pthread_cond_t*, const pthread_condattr_t*))                         \
  X(pthread_cond_destroy, int, (pthread_cond_t*))                                                 \
  X(pthread_cond_wait, int, (pthread_cond_t*, pthread_mutex_t*))                                  \
  X(pthread_cond_timedwait, int, (pthread_cond_t*, pthread_mutex_t*, const timespec*))            \
  X(pthread_cond_clockwait, int, (pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*)) \
  X(pthread_cond_signal, int, (pthread_cond_t*))                                                  \
  X(pthread_cond_broadcast, int, (pthread_cond_t*))                                               \
  X(pthread_rwlock_rdlock, int, (pthread_rwlock_t*))                                              \
  X(pthread_rwlock_wrlock, int, (pthread_rwlock_t*))                                              \
  X(pthread_rwlock_tryrdlock, int, (pthread_rwlock_t*))                                           \
  X(pthread_rwlock_trywrlock, int, (pthread_rwlock_t*))                                           \
  X(pthread_rwlock_timedrdlock, int, (pthread_rwlock_t*, const timespec*))                        \
  X(pthread_rwlock_timedwrlock, int, (pthread_rwlock_t*, const timespec*))                        \
  X(pthread_rwlock_clockrdlock, int, (pthread_rwlock_t*, clockid_t, const timespec*))             \
  X(pthread_rwlock_clockwrlock, int, (pthread_rwlock_t*, clockid_t, const timespec*))             \
  X(pthread_rwlock_unlock, int, (pthread_rwlock_t*))                                              \
  X(pthread_rwlock_destroy, int, (pthread_rwlock_t*))                                             \
  X(pthread_spin_lock, int, (pthread_spinlock_t*))                                                \
  X(pthread_spin_trylock, int, (pthread_spinlock_t*))                                             \
  X(pthread_spin_unlock, int, (pthread_spinlock_t*))                                              \
  X(pthread_barrier_init, int, (pthread_barrier_t*, const pthread_barrierattr_t*, unsigned))      \
  X(pthread_barrier_wait, int, (pthread_barrier_t*))                                              \
  X(pthread_once, int, (pthread_once_t*, void (*)()))                                             \
  X(sem_wait, int, (sem_t*))                                                                      \
  X(sem_trywait, int, (sem_t*))                                                                   \
  X(sem_timedwait, int, (sem_t*, const timespec*))                                                \
  X(sem_clockwait, int, (sem_t*, clockid_t, const timespec*))                                     \
  X(sem_post, int, (sem_t*))                                                                      \
  X(clock_gettime, int, (clockid_t, timespec*))                                                   \
  X(gettimeofday, int, (timeval*, void*))                                                         \
  X(time, time_t, (time_t*))                                                                      \
  X(exit, void, (int))                                                                            \
  X(_exit, void, (int))                                                                           \
  X(abort, void, ())                                                                              \
  X(fork, pid_t, ())                                                                              \
  X(__libc_start_main, int, (int (*)(int, char**, char**), int, char**, void (*)(), void (*)(), void (*)(), void*))

struct Real {
#define HEDDLE_FIELD(name, result, parameters) result(*name) parameters;
  HEDDLE_REAL_FUNCTIONS(HEDDLE_FIELD)
#undef HEDDLE_FIELD
  void (*call_tls_dtors)();  // glibc's own: runs the destructors of thread_local objects of the current thread
  uint32_t tid_offset;       // of the tid within glibc's thread descriptor
  uint64_t robust_offset;    // of the list of robust mutexes that the thread holds; 0: not known
};

extern Real g_real;
extern bool g_real_ready;
void resolve_real();
inline const Real& real() {
  if (__builtin_expect(!g_real_ready, 0)) resolve_real();
  return g_real;
}

}  // namespace heddle::rt

// An interposer: default visibility, C linkage, aligned as the compiler likes (pointers to members break on odd addresses).
#define HEDDLE_EXPORT extern "C" __attribute__((visibility("default")))
