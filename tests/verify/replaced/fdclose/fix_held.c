// verify: fixed
// Closed under the lock.
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

struct channel {
  pthread_mutex_t lock;
  int fd;
  int users;
};

static void hang_up(struct channel* c) {
  pthread_mutex_lock(&c->lock);
  int fd = c->fd;
  if (fd < 0) {
    pthread_mutex_unlock(&c->lock);
    return;
  }
  assert(close(fd) == 0);
  c->fd = -1;
  pthread_mutex_unlock(&c->lock);
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
