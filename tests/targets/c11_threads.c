// C11 threads: mutexes of each kind, a condition with and without a time-out, one-time initialisation, thread-specific storage.
// heddle: expect=none runs<=60
#include <stdlib.h>
#include <threads.h>
#include <time.h>

static mtx_t mutex, recursive;
static cnd_t condition;
static once_flag once = ONCE_FLAG_INIT;
static tss_t key;
static int initialised, counter, freed;

static void initialise(void) { ++initialised; }
static void release(void* value) {
  mtx_lock(&mutex);
  ++freed;
  mtx_unlock(&mutex);
  free(value);
}

static int worker(void* argument) {
  call_once(&once, initialise);
  tss_set(key, malloc(1));
  mtx_lock(&recursive);
  mtx_lock(&recursive);
  mtx_unlock(&recursive);
  mtx_unlock(&recursive);
  mtx_lock(&mutex);
  ++counter;
  cnd_signal(&condition);
  mtx_unlock(&mutex);
  thrd_yield();
  return *(int*)argument;
}

int main(void) {
  mtx_init(&mutex, mtx_timed);
  mtx_init(&recursive, mtx_plain | mtx_recursive);
  cnd_init(&condition);
  tss_create(&key, release);
  thrd_t threads[3];
  int numbers[3] = {5, 6, 7};
  for (int i = 0; i < 3; ++i) {
    if (thrd_create(&threads[i], worker, &numbers[i]) != thrd_success) return 2;
  }
  mtx_lock(&mutex);
  while (counter < 3) cnd_wait(&condition, &mutex);
  struct timespec until;
  timespec_get(&until, TIME_UTC);
  until.tv_sec += 1;
  if (cnd_timedwait(&condition, &mutex, &until) != thrd_timedout) return 3;
  mtx_unlock(&mutex);
  int sum = 0;
  for (int i = 0; i < 3; ++i) {
    int result = 0;
    thrd_join(threads[i], &result);
    sum += result;
  }
  if (mtx_trylock(&mutex) != thrd_success) return 4;
  mtx_unlock(&mutex);
  mtx_destroy(&mutex);
  cnd_destroy(&condition);
  return sum == 18 && initialised == 1 && freed == 3 ? 0 : 1;
}
