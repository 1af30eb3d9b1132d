// A cache looks a key up under the read lock, lets go, and inserts under the write lock without
// looking again: two threads insert the same key.
// Stands for: the non-atomic lock upgrade behind several cache bugs in the study of Lu et al. 2008.
// Ours differs: a table of one key on pthread_rwlock.
// heddle-kernel: family=rwlock kind=assert granularity=sync optimum=1 class=atomicity
#include <assert.h>
#include <pthread.h>

enum { kSlots = 4 };

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int keys[kSlots], used;

static int find(int key) {
  for (int i = 0; i < used; i++)
    if (keys[i] == key) return i;
  return -1;
}

static void* use(void* arg) {
  int key = *(int*)arg;
  pthread_rwlock_rdlock(&lock);
  int at = find(key);
  pthread_rwlock_unlock(&lock);
  if (at < 0) {
    pthread_rwlock_wrlock(&lock);
#ifdef FIXED
    if (find(key) < 0)
#endif
      keys[used++] = key;  // BUG
    pthread_rwlock_unlock(&lock);
  }
  return NULL;
}

int main(void) {
  pthread_t a, b;
  int key = 7;
  pthread_create(&a, NULL, use, &key);
  pthread_create(&b, NULL, use, &key);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(used == 1);
  return 0;
}
