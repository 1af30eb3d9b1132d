// reload() waits for the loader while it holds the lock that the loader needs to store its result.
// heddle-bug: kind=deadlock granularity=sync class=deadlock set=held
// fix: release|before|join|give
#include <pthread.h>
#include <stdlib.h>

struct config {
  pthread_mutex_t lock;
  pthread_t loader;
  int loading;
  int version;
};

static void* load(void* arg) {
  struct config* c = arg;
  pthread_mutex_lock(&c->lock);
  c->version++;
  pthread_mutex_unlock(&c->lock);
  return NULL;
}

static void start(struct config* c) {
  c->loading = 1;
  pthread_create(&c->loader, NULL, load, c);
}

static void reload(struct config* c) {
  pthread_mutex_lock(&c->lock);
  if (c->loading && c->version == 0) {
    pthread_join(c->loader, NULL);  // BUG
    c->loading = 0;
  }
  pthread_mutex_unlock(&c->lock);
}

int main(void) {
  struct config* c = calloc(1, sizeof *c);
  pthread_mutex_init(&c->lock, NULL);
  start(c);
  reload(c);
  if (c->loading) pthread_join(c->loader, NULL);
  free(c);
  return 0;
}
