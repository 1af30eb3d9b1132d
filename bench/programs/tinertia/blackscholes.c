// Option prices by the Black-Scholes formula, calls by six workers and some of the matching puts by
// two others, by put-call parity. A put worker needs its partner's calls and waits for them with the
// table's lock in its hands, which the partner needs to write them.
// Stands for: row "blackscholes" of Tinertia Tables 1-3 (deadlock, 9 threads, no preemption needed; PARSEC).
// Ours differs: written anew; sixteen options; the puts are checked against their own formula.
// heddle-kernel: family=blackscholes kind=deadlock granularity=sync optimum=0 class=deadlock paper=tinertia row=blackscholes
#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <semaphore.h>

enum { kCallers = 6, kPutters = 2, kWorkers = kCallers + kPutters, kOptions = 16 };

struct option {
  double spot, strike, rate, volatility, years;
  double call, put;
};

static struct option options[kOptions];
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t called[kPutters];

static double normal(double x) { return 0.5 * erfc(-x / sqrt(2.0)); }

static double deviation(const struct option* o) { return o->volatility * sqrt(o->years); }

static double d1(const struct option* o) {
  return (log(o->spot / o->strike) + (o->rate + o->volatility * o->volatility / 2) * o->years) / deviation(o);
}

static double discounted(const struct option* o) { return o->strike * exp(-o->rate * o->years); }

static void price_puts(int group) {
  for (int i = group; i < kOptions; i += kCallers) options[i].put = options[i].call - options[i].spot + discounted(&options[i]);
}

static void* caller(void* arg) {
  int group = *(int*)arg;
  pthread_mutex_lock(&table_lock);
  for (int i = group; i < kOptions; i += kCallers) {
    struct option* o = &options[i];
    o->call = o->spot * normal(d1(o)) - discounted(o) * normal(d1(o) - deviation(o));
  }
  if (group < kPutters)
    sem_post(&called[group]);
  else
    price_puts(group);
  pthread_mutex_unlock(&table_lock);
  return NULL;
}

static void* putter(void* arg) {
  int group = *(int*)arg;
#ifdef FIXED
  sem_wait(&called[group]);
  pthread_mutex_lock(&table_lock);
#else
  pthread_mutex_lock(&table_lock);
  sem_wait(&called[group]);  // BUG
#endif
  price_puts(group);
  pthread_mutex_unlock(&table_lock);
  return NULL;
}

int main(void) {
  pthread_t t[kWorkers];
  int id[kWorkers];
  for (int i = 0; i < kPutters; i++) sem_init(&called[i], 0, 0);
  pthread_mutex_lock(&table_lock);
  for (int i = 0; i < kWorkers; i++) {
    id[i] = i % kCallers;
    pthread_create(&t[i], NULL, i < kCallers ? caller : putter, &id[i]);
  }
  for (int i = 0; i < kOptions; i++) options[i] = (struct option){100, 80 + 3 * i, 0.03, 0.2 + 0.01 * i, 0.5 + 0.1 * i, 0, 0};
  pthread_mutex_unlock(&table_lock);
  for (int i = 0; i < kWorkers; i++) pthread_join(t[i], NULL);
  for (int i = 0; i < kOptions; i++) {
    const struct option* o = &options[i];
    double put = discounted(o) * normal(deviation(o) - d1(o)) - o->spot * normal(-d1(o));
    assert(fabs(put - o->put) < 1e-9);
  }
  return 0;
}
