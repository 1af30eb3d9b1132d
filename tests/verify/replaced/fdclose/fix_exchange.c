// verify: fixed|cannot-tell
// An atomic exchange.
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

struct channel {
  pthread_mutex_t lock;
  atomic_int fd;
  int users;
};

static void hang_up(struct channel* c) {
  int fd = atomic_exchange(&c->fd, -1);
  if (fd < 0) return;
  assert(close(fd) == 0);
}

static void* peer(void* arg) {
  hang_up(arg);
  return NULL;
}

int main(void) {
  struct channel c = {PTHREAD_MUTEX_INITIALIZER, -1, 2};
  c.fd = open("/dev/null", O_RDONLY);
  pthread_t a, b;
  pthread_create(&a, NULL, peer, &c);
  pthread_create(&b, NULL, peer, &c);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  hang_up(&c);
  return 0;
}
