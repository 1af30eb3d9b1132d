/* Two threads, one function each. */
#ifndef TWO_H
#define TWO_H
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void* call_two(void* function) {
  ((void (*)(void))function)();
  return NULL;
}

static inline void run_both(void (*one)(void), void (*two)(void)) {
  pthread_t a, b;
  pthread_create(&a, NULL, call_two, (void*)one);
  pthread_create(&b, NULL, call_two, (void*)two);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
}
#endif
