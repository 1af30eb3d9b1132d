// A record is copied while another thread writes it: half of the copy is old.
// heddle-bug: kind=assert granularity=access class=atomicity,race set=tuned
#include <assert.h>
#include <pthread.h>

struct point {
  long x, y, z, w;
};
static struct point where = {1, 1, 1, 1};

static void* move(void* arg) {
  (void)arg;
  where.x = 2;  // BUG
  where.w = 2;  // BUG
  return NULL;
}

static void* look(void* arg) {
  (void)arg;
  struct point p = where;  // BUG
  assert(p.x == p.w);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, move, NULL);
  pthread_create(&b, NULL, look, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
