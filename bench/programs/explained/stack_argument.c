// Every thread gets the address of the loop variable.
// heddle-bug: kind=assert granularity=access class=order,race,atomicity set=tuned
// fix: .
#include <assert.h>
#include <pthread.h>

static int seen[3];

static void* worker(void* arg) {
  int me = *(int*)arg;
  seen[me]++;
  return NULL;
}

int main(void) {
  pthread_t t[2];
  int i;
  for (i = 0; i < 2; i++) pthread_create(&t[i], NULL, worker, &i);  // BUG
  for (int k = 0; k < 2; k++) pthread_join(t[k], NULL);
  assert(seen[0] == 1 && seen[1] == 1);
  return 0;
}
