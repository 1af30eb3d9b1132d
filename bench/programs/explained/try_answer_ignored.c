// Nobody looks at the answer of sem_trywait: the second one is inside without a permit, and fails before it posts.
// heddle-bug: kind=assert granularity=sync class=misuse set=tuned
// fix: test the result
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t seats;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int inside;

static void* sit(void* arg) {
  sem_trywait(&seats);  // BUG
  pthread_mutex_lock(&lock);
  inside++;
  assert(inside <= 1);
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
  inside--;
  pthread_mutex_unlock(&lock);
  sem_post(&seats);
  return arg;
}

int main(void) {
  pthread_t a, b;
  sem_init(&seats, 0, 1);
  pthread_create(&a, NULL, sit, NULL);
  pthread_create(&b, NULL, sit, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
