// One thread frees a session and clears the pointer in two steps without a lock while another checks
// the pointer and then uses it: it calls through the pointer that has become null.
// Stands for: check-then-use against free-and-clear, the commonest pattern of the ConVul collection.
// Ours differs: the pointer is loaded twice, as unoptimised code does, so the failure is a null call.
// heddle-kernel: family=uaf_free kind=signal granularity=access optimum=1 class=uaf
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct session {
  int (*handler)(int);
};

static _Atomic(struct session*) current;
#ifdef FIXED
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#endif
static int result;

static int twice(int x) { return 2 * x; }

static void* request(void* arg) {
  (void)arg;
#ifdef FIXED
  pthread_mutex_lock(&lock);
#endif
  if (atomic_load(&current)) {
    struct session* s = atomic_load(&current);  // BUG
    result = s->handler(21);
  }
#ifdef FIXED
  pthread_mutex_unlock(&lock);
#endif
  return NULL;
}

static void* logout(void* arg) {
  (void)arg;
#ifdef FIXED
  pthread_mutex_lock(&lock);
#endif
  struct session* s = atomic_exchange(&current, NULL);
#ifdef FIXED
  pthread_mutex_unlock(&lock);
  free(s);
#else
  (void)s;  // left to the process, so that only the null pointer can be met
#endif
  return NULL;
}

int main(void) {
  static struct session session = {twice};
#ifdef FIXED
  struct session* s = malloc(sizeof *s);
  *s = session;
  atomic_store(&current, s);
#else
  atomic_store(&current, &session);
#endif
  pthread_t r, l;
  pthread_create(&r, NULL, request, NULL);
  pthread_create(&l, NULL, logout, NULL);
  pthread_join(r, NULL);
  pthread_join(l, NULL);
  return result != 0 && result != 42;
}
