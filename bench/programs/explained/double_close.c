// Both ends of a channel may close it: each looks at `closed` and frees the buffer.
// heddle-bug: kind=abort,signal granularity=access class=atomicity,uaf,race set=held
// fix: lock|one (atomic )?step|once
#include <pthread.h>
#include <stdlib.h>

struct channel {
  int closed;
  char* buffer;
};

static void channel_close(struct channel* c) {
  if (c->closed) return;  // BUG
  c->closed = 1;
  free(c->buffer);
}

static void* peer(void* p) {
  channel_close(p);
  return 0;
}

int main(void) {
  struct channel c = {0, malloc(32)};
  pthread_t t;
  pthread_create(&t, 0, peer, &c);
  channel_close(&c);
  pthread_join(t, 0);
  return 0;
}
