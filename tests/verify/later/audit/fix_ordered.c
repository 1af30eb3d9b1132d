// verify: fixed
// The lower number first.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

#define ACCOUNTS 3
struct account {
  pthread_mutex_t lock;
  int id;
  long balance;
};
static struct account accounts[ACCOUNTS];
static long total;

static void transfer(struct account* from, struct account* to, long amount) {
  struct account* low = from->id < to->id ? from : to;
  struct account* high = from->id < to->id ? to : from;
  pthread_mutex_lock(&low->lock);
  pthread_mutex_lock(&high->lock);
  from->balance -= amount;
  to->balance += amount;
  pthread_mutex_unlock(&to->lock);
  pthread_mutex_unlock(&from->lock);
}

static void* audit(void* arg) {
  (void)arg;
  total = 0;
  for (int i = 0; i < ACCOUNTS; ++i) pthread_mutex_lock(&accounts[i].lock);
  for (int i = 0; i < ACCOUNTS; ++i) total += accounts[i].balance;
  for (int i = ACCOUNTS; i-- > 0;) pthread_mutex_unlock(&accounts[i].lock);
  return NULL;
}

static void* mover(void* arg) {
  (void)arg;
  transfer(&accounts[0], &accounts[1], 10);
  transfer(&accounts[2], &accounts[0], 5);
  return NULL;
}

int main(void) {
  for (int i = 0; i < ACCOUNTS; ++i) {
    pthread_mutex_init(&accounts[i].lock, NULL);
    accounts[i].id = i;
    accounts[i].balance = 100;
  }
  pthread_t a, b;
  pthread_create(&a, NULL, audit, NULL);
  pthread_create(&b, NULL, mover, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(total == 300);
  return 0;
}
