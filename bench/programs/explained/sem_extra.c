// On a time-out the permit is posted back although none was taken: two are inside.
// heddle-bug: kind=assert granularity=sync class=misuse set=tuned
// fix: only|result|succe|taken
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t gate;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int inside, skipped;

static void enter(int delta) {
  pthread_mutex_lock(&lock);
  inside += delta;
  assert(inside <= 1);
  pthread_mutex_unlock(&lock);
}

static void* impatient(void* unused) {
  if (sem_trywait(&gate) == 0) {
    enter(1);
    enter(-1);
  } else {
    ++skipped;
  }
  sem_post(&gate);  // BUG
  return unused;
}
static void* patient(void* unused) {
  sem_wait(&gate);
  enter(1);
  enter(-1);
  sem_post(&gate);
  return unused;
}

int main(void) {
  pthread_t t[3];
  sem_init(&gate, 0, 1);
  pthread_create(&t[0], NULL, patient, NULL);
  pthread_create(&t[1], NULL, patient, NULL);
  pthread_create(&t[2], NULL, impatient, NULL);
  for (int i = 0; i < 3; ++i) pthread_join(t[i], NULL);
  return 0;
}
