// A loop that counts its turns and yields, beside a thread that does so too: it would end, after longer than anybody waits.
#include <pthread.h>
#include <sched.h>

static volatile unsigned long turns[2];

static void* count(void* at) {
  volatile unsigned long* own = at;
  while (++*own < 1000000000000ul) sched_yield();
  return at;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, count, (void*)&turns[0]);
  count((void*)&turns[1]);
  pthread_join(thread, NULL);
  return 0;
}
