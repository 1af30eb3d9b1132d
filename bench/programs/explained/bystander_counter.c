// Two threads lose an update; a third only looks at something else, under the same lock.
// heddle-bug: kind=assert granularity=access class=race,atomicity set=tuned
// fix: lock|atomic
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count, looks;

static void* adder(void* arg) {
  (void)arg;
  count++;  // BUG
  return NULL;
}

static void* bystander(void* arg) {
  (void)arg;
  for (int i = 0; i < 3; i++) {
    pthread_mutex_lock(&lock);
    looks++;
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}

int main(void) {
  pthread_t a, b, c;
  pthread_create(&c, NULL, bystander, NULL);
  pthread_create(&a, NULL, adder, NULL);
  pthread_create(&b, NULL, adder, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  pthread_join(c, NULL);
  assert(count == 2 && looks == 3);
  return 0;
}
