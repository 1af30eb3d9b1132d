// Two readers find the table stale and each waits to become the writer while the other still reads.
// heddle-bug: kind=deadlock granularity=sync class=deadlock set=held
// fix: release|unlock|write
#include <pthread.h>

struct table {
  pthread_rwlock_t lock;
  int version;
  int rows[4];
};
static struct table routes = {PTHREAD_RWLOCK_INITIALIZER, 0, {0}};

static void refresh(struct table* t) {
  pthread_rwlock_wrlock(&t->lock);  // BUG
  t->version = 1;
  pthread_rwlock_unlock(&t->lock);
}

static int route(struct table* t, int key) {
  pthread_rwlock_rdlock(&t->lock);  // FIX
  if (t->version == 0) refresh(t);
  int hop = t->rows[key];
  pthread_rwlock_unlock(&t->lock);
  return hop;
}

static void* forward(void* unused) {
  route(&routes, 1);
  return unused;
}
static void* preload(void* unused) {
  refresh(&routes);
  return unused;
}

int main(void) {
  pthread_t a, b, c;
  pthread_create(&c, NULL, preload, NULL);
  pthread_create(&a, NULL, forward, NULL);
  pthread_create(&b, NULL, forward, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  pthread_join(c, NULL);
  return 0;
}
