// Two withdrawals from one account. Each checks the balance in one critical section and takes the
// money in a second one, so both can pass the check before either acts.
// Stands for: "account" of the concurrency suites (SV-COMP pthread, SCTBench CS).
// Ours differs: every access is locked, so it is an atomicity violation without a data race.
// heddle-kernel: family=account kind=assert granularity=sync optimum=1 class=atomicity
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100;

static void withdraw(int amount) {
  pthread_mutex_lock(&lock);
  int enough = balance >= amount;
#ifndef FIXED
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);  // BUG
#endif
  if (enough) balance -= amount;
  assert(balance >= 0);
  pthread_mutex_unlock(&lock);
}

static void* customer(void* arg) {
  (void)arg;
  withdraw(80);
  return NULL;
}

int main(void) {
  pthread_t first, second;
  pthread_create(&first, NULL, customer, NULL);
  pthread_create(&second, NULL, customer, NULL);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
  return 0;
}
