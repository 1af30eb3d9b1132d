// verify: still-fails
// Two totals that belong together, each under its own lock.
#include <assert.h>
#include <pthread.h>

struct total {
  pthread_mutex_t lock;
  long cents;
};
static struct total debit = {PTHREAD_MUTEX_INITIALIZER, 0};
static struct total credit = {PTHREAD_MUTEX_INITIALIZER, 0};

static pthread_mutex_t books = PTHREAD_MUTEX_INITIALIZER;

static void add(struct total* t, long cents) {
  pthread_mutex_lock(&t->lock);
  t->cents += cents;
  pthread_mutex_unlock(&t->lock);
}

static long get(struct total* t) {
  pthread_mutex_lock(&t->lock);
  const long cents = t->cents;
  pthread_mutex_unlock(&t->lock);
  return cents;
}

static void book(long cents) {
  pthread_mutex_lock(&books);
  add(&debit, cents);
  add(&credit, cents);
  pthread_mutex_unlock(&books);
}

static void* clerk(void* unused) {
  (void)unused;
  book(250);
  return NULL;
}

static void* auditor(void* unused) {
  (void)unused;
  const long left = get(&debit), right = get(&credit);
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
