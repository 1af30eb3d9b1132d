// verify: still-fails
// A flag that is looked at without exclusion.
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

struct channel {
  pthread_mutex_t lock;
  int fd;
  int users;
  int closing;
};

static void hang_up(struct channel* c) {
  pthread_mutex_lock(&c->lock);
  int fd = c->fd;
  pthread_mutex_unlock(&c->lock);
  if (fd < 0 || c->closing) return;
  pthread_mutex_lock(&c->lock);
  c->closing = 1;
  pthread_mutex_unlock(&c->lock);
  assert(close(fd) == 0);
  pthread_mutex_lock(&c->lock);
  c->fd = -1;
  pthread_mutex_unlock(&c->lock);
}

static void* peer(void* arg) {
  hang_up(arg);
  return NULL;
}

int main(void) {
  struct channel c = {PTHREAD_MUTEX_INITIALIZER, -1, 2, 0};
  c.fd = open("/dev/null", O_RDONLY);
  pthread_t a, b;
  pthread_create(&a, NULL, peer, &c);
  pthread_create(&b, NULL, peer, &c);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  hang_up(&c);
  return 0;
}
