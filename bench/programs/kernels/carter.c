// Two classes of threads guard a resource by counters: the first of a class takes the gate, the last
// gives it back. One class takes counter lock and gate in the other order, which deadlocks.
// Stands for: "carter01" of the Inspect and SV-COMP pthread suites (SCTBench CS.carter01).
// Ours differs: two classes of one thread each, and a gate held under the counter's lock.
// heddle-kernel: family=carter kind=deadlock granularity=sync optimum=1 class=deadlock
#include <pthread.h>

static pthread_mutex_t count_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static int inside_a, inside_b, work;

static void* class_a(void* arg) {
  (void)arg;
  pthread_mutex_lock(&count_lock);
  if (++inside_a == 1) pthread_mutex_lock(&gate);
  pthread_mutex_unlock(&count_lock);
  work++;
  pthread_mutex_lock(&count_lock);
  if (--inside_a == 0) pthread_mutex_unlock(&gate);
  pthread_mutex_unlock(&count_lock);
  return NULL;
}

static void* class_b(void* arg) {
  (void)arg;
  // Taking and leaving the gate one by one would do; holding the count lock across both is what
  // class_a cannot live with: it needs the count lock to give the gate back.
#ifdef FIXED
  pthread_mutex_lock(&gate);
  work++;
  pthread_mutex_unlock(&gate);
  pthread_mutex_lock(&count_lock);
  inside_b++;
  pthread_mutex_unlock(&count_lock);
#else
  pthread_mutex_lock(&count_lock);
  inside_b++;
  pthread_mutex_lock(&gate);  // BUG
  work++;
  pthread_mutex_unlock(&gate);
  pthread_mutex_unlock(&count_lock);
#endif
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, class_a, NULL);
  pthread_create(&b, NULL, class_b, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
