// Sleeping is no synchronisation.
#include <unistd.h>

#include "../two.h"

int value;  // not static: the optimiser must not know every value it can have

static void* writer(void* nothing) {
  value = 1;
  return nothing;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, writer, NULL);
  pthread_detach(t);
  usleep(1000);
  return value == 7;
}
