// The lost update on a plain variable: a real data race, with one unrelated racing statistic beside it
// that never does harm.
// Stands for: benign and harmful races side by side (Narayanasamy et al. 2007; Thrille's race-directed testing).
// Ours differs: the two races are on different variables of the same structure.
// heddle-kernel: family=plain_race kind=exit granularity=access optimum=1 class=race
#include <pthread.h>

struct totals {
  int balance;
  int lookups;  // a statistic; nobody depends on it
};

static struct totals totals;
#ifdef FIXED
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#endif

static void* deposit(void* arg) {
  int amount = *(int*)arg;
#ifdef FIXED
  pthread_mutex_lock(&lock);
#endif
  totals.lookups++;
  totals.balance += amount;  // BUG
#ifdef FIXED
  pthread_mutex_unlock(&lock);
#endif
  return NULL;
}

int main(void) {
  pthread_t a, b;
  int amount[2] = {10, 20};
  pthread_create(&a, NULL, deposit, &amount[0]);
  pthread_create(&b, NULL, deposit, &amount[1]);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return totals.balance == 30 ? 0 : 1;
}
