// Each thread is given the address of the loop's counter, which goes on.
// heddle-bug: kind=exit granularity=access class=order,race,atomicity set=held
// fix: before|copy|wait|own
#include <pthread.h>
#include <stdio.h>

static int served[3];

static void* serve(void* p) {
  int id = *(int*)p;  // BUG
  if (id < 3) served[id] = 1;
  return 0;
}

int main(void) {
  pthread_t t[3];
  int i;
  for (i = 0; i < 3; i++)                 // BUG
    pthread_create(&t[i], 0, serve, &i);  // FIX
  for (int k = 0; k < 3; k++) pthread_join(t[k], 0);
  for (int k = 0; k < 3; k++) {
    if (!served[k]) {
      fprintf(stderr, "client %d was not served\n", k);
      return 1;
    }
  }
  return 0;
}
