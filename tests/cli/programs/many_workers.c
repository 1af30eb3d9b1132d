// Twelve workers; two of them sell the last ticket, each after a look of its own. Main counts the others, so that a worker left out fails
// there, after the check.
#include <assert.h>
#include <pthread.h>

enum { kWorkers = 12, kFirstSeller = 3, kSecondSeller = 8 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int tickets = 1, sold, done;

static int left(void) {
  pthread_mutex_lock(&lock);
  const int n = tickets - sold;
  pthread_mutex_unlock(&lock);
  return n;
}

static void sell(void) {
  if (left() <= 0) return;
  pthread_mutex_lock(&lock);
  sold++;
  assert(sold <= tickets);
  pthread_mutex_unlock(&lock);
}

static void* work(void* arg) {
  const int me = *(int*)arg;
  if (me == kFirstSeller || me == kSecondSeller) sell();
  pthread_mutex_lock(&lock);
  done++;
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t t[kWorkers];
  int id[kWorkers];
  for (int i = 0; i < kWorkers; i++) {
    id[i] = i;
    pthread_create(&t[i], NULL, work, &id[i]);
  }
  for (int i = 0; i < kWorkers; i++) pthread_join(t[i], NULL);
  assert(done == kWorkers);
  return 0;
}
