// Six hundred locks, one inside the other, in one order: nothing to find, and nothing to compute for long.
#include <pthread.h>

enum { kLocks = 600 };
static pthread_mutex_t locks[kLocks];

static void* take_all(void* unused) {
  for (int i = 0; i < kLocks; ++i) pthread_mutex_lock(&locks[i]);
  for (int i = kLocks; i-- > 0;) pthread_mutex_unlock(&locks[i]);
  return unused;
}

int main(void) {
  for (int i = 0; i < kLocks; ++i) pthread_mutex_init(&locks[i], NULL);
  pthread_t a, b;
  pthread_create(&a, NULL, take_all, NULL);
  pthread_create(&b, NULL, take_all, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
