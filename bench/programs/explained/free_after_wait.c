// The waker touches the condition after the one that was woken has freed it.
// heddle-bug: kind=misuse,signal granularity=access class=uaf set=held
// fix: (wait|end|join|before|after|lock).*
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

struct request {
  atomic_int done;
  int owner;
};

static void* server(void* arg) {
  struct request* r = arg;
  atomic_store(&r->done, 1);
  r->owner = 2;  // BUG
  return NULL;
}

int main(void) {
  pthread_t a;
  struct request* r = malloc(sizeof *r);
  atomic_init(&r->done, 0);
  r->owner = 1;
  pthread_create(&a, NULL, server, r);
  while (!atomic_load(&r->done)) sched_yield();
  free(r);  // FIX
  pthread_join(a, NULL);
  return 0;
}
