// verify: fixed|cannot-tell
// Two totals that belong together, each under its own lock.
#include <assert.h>
#include <pthread.h>

struct total {
  pthread_mutex_t lock;
  long cents;
};
static struct total debit = {PTHREAD_MUTEX_INITIALIZER, 0};
static struct total credit = {PTHREAD_MUTEX_INITIALIZER, 0};

static void enter(long amount) {
  pthread_mutex_lock(&debit.lock);
  pthread_mutex_lock(&credit.lock);
  debit.cents += amount;
  credit.cents += amount;
  pthread_mutex_unlock(&credit.lock);
  pthread_mutex_unlock(&debit.lock);
}

static void* clerk(void* unused) {
  (void)unused;
  enter(250);
  return NULL;
}

static void* auditor(void* unused) {
  (void)unused;
  pthread_mutex_lock(&debit.lock);
  pthread_mutex_lock(&credit.lock);
  const long left = debit.cents, right = credit.cents;
  pthread_mutex_unlock(&credit.lock);
  pthread_mutex_unlock(&debit.lock);
  assert(left == right);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, clerk, NULL);
  pthread_create(&b, NULL, auditor, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
