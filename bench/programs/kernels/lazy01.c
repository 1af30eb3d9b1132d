// Three threads add 1, add 2 and check a sum under one lock; the check holds only in some orders of
// the three critical sections. Fails without any preemption when the checker comes last.
// Stands for: "lazy01" of SV-COMP pthread and SCTBench CS.
// Ours differs: the fixed twin's checker tests what holds in every order.
// heddle-kernel: family=lazy01 kind=assert granularity=sync optimum=0 class=order
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int data;

static void* add_one(void* arg) {
  (void)arg;
  pthread_mutex_lock(&lock);
  data++;
  pthread_mutex_unlock(&lock);
  return NULL;
}

static void* add_two(void* arg) {
  (void)arg;
  pthread_mutex_lock(&lock);
  data += 2;
  pthread_mutex_unlock(&lock);
  return NULL;
}

static void* check(void* arg) {
  (void)arg;
  pthread_mutex_lock(&lock);
#ifdef FIXED
  assert(data <= 3);
#else
  assert(data < 3);  // BUG
#endif
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t a, b, c;
  pthread_create(&a, NULL, add_one, NULL);
  pthread_create(&b, NULL, add_two, NULL);
  pthread_create(&c, NULL, check, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  pthread_join(c, NULL);
  return 0;
}
