// One thread sleeps 100 us and one 200 us, and the second frees what the first has long used.
// heddle-kernel: family=two_sleeps kind=assert granularity=sync class=uaf
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int alive = 1;
static pthread_t user_thread;

static void* user(void* unused) {
  (void)unused;
  usleep(100);
  assert(atomic_load(&alive));
  return NULL;
}

static void* owner(void* unused) {
  (void)unused;
#ifdef FIXED
  pthread_join(user_thread, NULL);
#else
  usleep(200);  // BUG
#endif
  atomic_store(&alive, 0);
  return NULL;
}

int main(void) {
  pthread_t t;
  pthread_create(&user_thread, NULL, user, NULL);
  pthread_create(&t, NULL, owner, NULL);
#ifndef FIXED
  pthread_join(user_thread, NULL);
#endif
  pthread_join(t, NULL);
  return 0;
}
