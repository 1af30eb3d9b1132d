// The creator goes on writing what the new thread reads.
#include "../two.h"

static int value;
int seen;

static void* reader(void* nothing) {
  seen = value;
  return nothing;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, reader, NULL);
  value = 1;
  pthread_join(t, NULL);
  return 0;
}
