// Fails where a wait of an hour ends although it is ended long before, and (with an argument) where one of a millisecond does.
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>

static sem_t done;

static void* work(void* unused) {
  sem_post(&done);
  return unused;
}

int main(int argc, char** argv) {
  struct timespec end;
  pthread_t thread;
  sem_init(&done, 0, 0);
  pthread_create(&thread, NULL, work, NULL);
  clock_gettime(CLOCK_REALTIME, &end);
  if (argc > 1) {
    end.tv_nsec += 1000000;
    if (end.tv_nsec >= 1000000000) ++end.tv_sec, end.tv_nsec -= 1000000000;
  } else {
    end.tv_sec += 3600;
  }
  (void)argv;
  if (sem_timedwait(&done, &end) != 0) abort();
  return pthread_join(thread, NULL);
}
