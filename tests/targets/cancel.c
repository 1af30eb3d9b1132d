// Cancellation in a wait on a condition (the handler finds the mutex locked), in a read, in a sleep, and disabled until asked for.
// heddle: expect=none runs<=100
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int ends[2];
static int cleaned;

static void unlock(void* unused) {
  (void)unused;
  ++cleaned;
  if (pthread_mutex_unlock(&mutex) != 0) abort();
}
static void* in_wait(void* unused) {
  (void)unused;
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(unlock, NULL);
  for (;;) pthread_cond_wait(&condition, &mutex);
  pthread_cleanup_pop(0);
  return NULL;
}
static void* in_read(void* unused) {
  (void)unused;
  char byte;
  return read(ends[0], &byte, 1) == 1 ? NULL : NULL;
}
static void* in_sleep(void* unused) {
  (void)unused;
  for (;;) sleep(1000);
  return NULL;
}
static void* late(void* done) {
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
  usleep(1000);
  *(int*)done = 1;
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
  pthread_testcancel();
  return NULL;
}

int main(void) {
  if (pipe(ends) != 0) return 2;
  int done = 0;
  pthread_t threads[4];
  pthread_create(&threads[0], NULL, in_wait, NULL);
  pthread_create(&threads[1], NULL, in_read, NULL);
  pthread_create(&threads[2], NULL, in_sleep, NULL);
  pthread_create(&threads[3], NULL, late, &done);
  usleep(10);
  for (int i = 0; i < 4; ++i) pthread_cancel(threads[i]);
  for (int i = 0; i < 4; ++i) {
    void* result = NULL;
    pthread_join(threads[i], &result);
    if (result != PTHREAD_CANCELED && i != 3) return 3;
  }
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  return cleaned <= 1 ? 0 : 1;
}
