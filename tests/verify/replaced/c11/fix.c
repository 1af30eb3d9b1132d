// verify: fixed
// while
#include <assert.h>
#include <stdio.h>
#include <threads.h>

static mtx_t m;
static cnd_t c;
static int items;

static int take(void* arg) {
  (void)arg;
  mtx_lock(&m);
  while (items == 0) cnd_wait(&c, &m);
  assert(items > 0);
  --items;
  mtx_unlock(&m);
  return 0;
}

static int put(void* arg) {
  (void)arg;
  for (int i = 0; i < 2; ++i) {
    mtx_lock(&m);
    ++items;
    cnd_broadcast(&c);
    mtx_unlock(&m);
  }
  return 0;
}

int main(void) {
  mtx_init(&m, mtx_plain);
  cnd_init(&c);
  thrd_t a, b, p;
  thrd_create(&a, take, NULL);
  thrd_create(&b, take, NULL);
  thrd_create(&p, put, NULL);
  thrd_join(a, NULL);
  thrd_join(b, NULL);
  thrd_join(p, NULL);
  return 0;
}
