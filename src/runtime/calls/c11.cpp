// C11 threads. glibc's own do not go through the exported pthread functions; here each is the pthread function of the same meaning.
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <threads.h>
#include <time.h>

#include "runtime/base/real.h"
#include "runtime/engine/names.h"

using namespace heddle;
using namespace heddle::rt;

namespace {

int answer(int error) {
  switch (error) {
    case 0: return thrd_success;
    case ENOMEM: return thrd_nomem;
    case ETIMEDOUT: return thrd_timedout;
    case EBUSY: return thrd_busy;
    default: return thrd_error;
  }
}

// The program's own function is the thread's entry, as glibc does it too: an int comes back in the same register as a pointer.
using Entry = void* (*)(void*);
Entry entry_of(thrd_start_t function) { return reinterpret_cast<Entry>(reinterpret_cast<void*>(function)); }

pthread_mutex_t* mutex_of(mtx_t* m) { return reinterpret_cast<pthread_mutex_t*>(m); }
pthread_cond_t* cond_of(cnd_t* c) { return reinterpret_cast<pthread_cond_t*>(c); }
static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t) && sizeof(cnd_t) == sizeof(pthread_cond_t) &&
              sizeof(once_flag) == sizeof(pthread_once_t));

}  // namespace

// The inner call records the site of the outer one's caller.
#define HEDDLE_CALLED_FROM_HERE CalledFrom outer(__builtin_return_address(0))

HEDDLE_EXPORT int thrd_create(thrd_t* thread, thrd_start_t function, void* argument) {
  HEDDLE_CALLED_FROM_HERE;
  const int error = pthread_create(thread, nullptr, entry_of(function), argument);
  return error == EAGAIN ? thrd_nomem : answer(error);
}

HEDDLE_EXPORT int thrd_join(thrd_t thread, int* result) {
  void* value = nullptr;
  HEDDLE_CALLED_FROM_HERE;
  const int error = pthread_join(thread, &value);
  if (error == 0 && result != nullptr) *result = static_cast<int>(reinterpret_cast<intptr_t>(value));
  return answer(error);
}

HEDDLE_EXPORT int thrd_detach(thrd_t thread) {
  HEDDLE_CALLED_FROM_HERE;
  return answer(pthread_detach(thread));
}

HEDDLE_EXPORT void thrd_exit(int result) {
  pthread_exit(reinterpret_cast<void*>(static_cast<intptr_t>(result)));
  __builtin_unreachable();
}

HEDDLE_EXPORT void thrd_yield() {
  HEDDLE_CALLED_FROM_HERE;
  sched_yield();
}

HEDDLE_EXPORT int thrd_sleep(const timespec* duration, timespec* left) {
  HEDDLE_CALLED_FROM_HERE;
  const int error = clock_nanosleep(CLOCK_REALTIME, 0, duration, left);
  return error == 0 ? 0 : error == EINTR ? -1 : -2;
}

HEDDLE_EXPORT int mtx_init(mtx_t* mutex, int type) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, (type & mtx_recursive) != 0 ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_NORMAL);
  const int error = pthread_mutex_init(mutex_of(mutex), &attributes);
  pthread_mutexattr_destroy(&attributes);
  return answer(error);
}

HEDDLE_EXPORT int mtx_lock(mtx_t* mutex) {
  HEDDLE_CALLED_FROM_HERE;
  return answer(pthread_mutex_lock(mutex_of(mutex)));
}

HEDDLE_EXPORT int mtx_timedlock(mtx_t* mutex, const timespec* until) {
  HEDDLE_CALLED_FROM_HERE;
  return answer(pthread_mutex_timedlock(mutex_of(mutex), until));
}

HEDDLE_EXPORT int mtx_trylock(mtx_t* mutex) {
  HEDDLE_CALLED_FROM_HERE;
  return answer(pthread_mutex_trylock(mutex_of(mutex)));
}

HEDDLE_EXPORT int mtx_unlock(mtx_t* mutex) {
  HEDDLE_CALLED_FROM_HERE;
  return answer(pthread_mutex_unlock(mutex_of(mutex)));
}

HEDDLE_EXPORT void mtx_destroy(mtx_t* mutex) {
  HEDDLE_CALLED_FROM_HERE;
  pthread_mutex_destroy(mutex_of(mutex));
}

HEDDLE_EXPORT int cnd_init(cnd_t* condition) { return answer(pthread_cond_init(cond_of(condition), nullptr)); }

HEDDLE_EXPORT int cnd_signal(cnd_t* condition) {
  HEDDLE_CALLED_FROM_HERE;
  return answer(pthread_cond_signal(cond_of(condition)));
}

HEDDLE_EXPORT int cnd_broadcast(cnd_t* condition) {
  HEDDLE_CALLED_FROM_HERE;
  return answer(pthread_cond_broadcast(cond_of(condition)));
}

HEDDLE_EXPORT int cnd_wait(cnd_t* condition, mtx_t* mutex) {
  HEDDLE_CALLED_FROM_HERE;
  return answer(pthread_cond_wait(cond_of(condition), mutex_of(mutex)));
}

HEDDLE_EXPORT int cnd_timedwait(cnd_t* condition, mtx_t* mutex, const timespec* until) {
  HEDDLE_CALLED_FROM_HERE;
  return answer(pthread_cond_timedwait(cond_of(condition), mutex_of(mutex), until));
}

HEDDLE_EXPORT void cnd_destroy(cnd_t* condition) {
  HEDDLE_CALLED_FROM_HERE;
  pthread_cond_destroy(cond_of(condition));
}

HEDDLE_EXPORT void call_once(once_flag* flag, void (*function)()) {
  HEDDLE_CALLED_FROM_HERE;
  pthread_once(reinterpret_cast<pthread_once_t*>(flag), function);
}

HEDDLE_EXPORT int tss_create(tss_t* key, tss_dtor_t destructor) { return answer(pthread_key_create(key, destructor)); }
HEDDLE_EXPORT void tss_delete(tss_t key) { pthread_key_delete(key); }
