// The program of the bug beside it, which version 0.1 saved. Both stay as they are: what was saved once can be replayed.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100;

static void* customer(void* unused) {
  pthread_mutex_lock(&lock);
  int enough = balance >= 80;
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
  if (enough) balance -= 80;
  if (balance < 0) puts("the account is overdrawn");
  assert(balance >= 0);
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, customer, NULL);
  pthread_create(&b, NULL, customer, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
