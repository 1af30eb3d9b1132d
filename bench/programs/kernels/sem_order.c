// Two resources guarded by semaphores, taken in opposite order.
// Stands for: the resource-order deadlock on semaphores, which lock-graph tools do not see.
// Ours differs: POSIX semaphores with one unit each.
// heddle-kernel: family=sem_order kind=deadlock granularity=sync optimum=1 class=deadlock
#include <pthread.h>
#include <semaphore.h>

static sem_t printer, scanner;

static void* copy(void* arg) {
  (void)arg;
  sem_wait(&printer);
  sem_wait(&scanner);
  sem_post(&scanner);
  sem_post(&printer);
  return NULL;
}

static void* fax(void* arg) {
  (void)arg;
#ifdef FIXED
  sem_wait(&printer);
  sem_wait(&scanner);
#else
  sem_wait(&scanner);
  sem_wait(&printer);  // BUG
#endif
  sem_post(&printer);
  sem_post(&scanner);
  return NULL;
}

int main(void) {
  pthread_t c, f;
  sem_init(&printer, 0, 1);
  sem_init(&scanner, 0, 1);
  pthread_create(&c, NULL, copy, NULL);
  pthread_create(&f, NULL, fax, NULL);
  pthread_join(c, NULL);
  pthread_join(f, NULL);
  return 0;
}
