// Two locks taken in opposite order by two threads.
// Stands for: "deadlock01" of SV-COMP pthread and SCTBench CS, the textbook lock-order inversion.
// Ours differs: nothing but names.
// heddle-kernel: family=deadlock01 kind=deadlock granularity=sync optimum=1 class=deadlock
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void* forward(void* arg) {
  (void)arg;
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  counter++;
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  return NULL;
}

static void* backward(void* arg) {
  (void)arg;
#ifdef FIXED
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
#else
  pthread_mutex_lock(&b);
  pthread_mutex_lock(&a);  // BUG
#endif
  counter--;
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  return NULL;
}

int main(void) {
  pthread_t f, g;
  pthread_create(&f, NULL, forward, NULL);
  pthread_create(&g, NULL, backward, NULL);
  pthread_join(f, NULL);
  pthread_join(g, NULL);
  return counter;
}
