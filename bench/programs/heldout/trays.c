// Four guests need two trays each of four; each takes one and then a second.
// heddle-kernel: family=trays kind=deadlock granularity=sync class=deadlock
#include <pthread.h>
#include <semaphore.h>

enum { kGuests = 4 };
static sem_t trays, seats;

static void* guest(void* unused) {
  (void)unused;
#ifdef FIXED
  sem_wait(&seats);
#endif
  sem_wait(&trays);
  sem_wait(&trays);  // BUG
  sem_post(&trays);
  sem_post(&trays);
#ifdef FIXED
  sem_post(&seats);
#endif
  return NULL;
}

int main(void) {
  sem_init(&trays, 0, kGuests);
  sem_init(&seats, 0, kGuests - 1);
  pthread_t t[kGuests];
  for (int i = 0; i < kGuests; ++i) pthread_create(&t[i], NULL, guest, NULL);
  for (int i = 0; i < kGuests; ++i) pthread_join(t[i], NULL);
  return 0;
}
