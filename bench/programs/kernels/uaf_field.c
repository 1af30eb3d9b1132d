// A user takes the pointer under the lock and reads a field of the block after it; the owner takes the pointer away under the lock and
// frees the block. The field is not where the block begins, so only the whole block tells that the two belong together.
// Stands for: CVE-2017-6346 and CVE-2016-7911, in both of which a field is read after the lock that guards the pointer is dropped.
// Ours differs: one user, one owner, no loop.
// heddle-kernel: family=uaf_field kind=misuse granularity=access optimum=1 class=uaf
#include <pthread.h>
#include <stdlib.h>

struct box {
  long key, owner, value;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct box* current;
static volatile long seen;

static void* user(void* unused) {
  (void)unused;
  pthread_mutex_lock(&lock);
  struct box* box = current;
#ifdef FIXED
  if (box) seen = box->value;
  pthread_mutex_unlock(&lock);
#else
  pthread_mutex_unlock(&lock);
  if (box) seen = box->value;  // BUG
#endif
  return NULL;
}

static void* owner(void* unused) {
  (void)unused;
  pthread_mutex_lock(&lock);
  struct box* box = current;
  current = NULL;
  pthread_mutex_unlock(&lock);
  free(box);
  return NULL;
}

int main(void) {
  current = calloc(1, sizeof *current);
  pthread_t a, b;
  pthread_create(&a, NULL, user, NULL);
  pthread_create(&b, NULL, owner, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
