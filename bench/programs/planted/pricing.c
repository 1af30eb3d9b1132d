// Prices of options by the formula of Black and Scholes, a share for each thread, several rounds with a barrier between.
#include <math.h>

#include "places.h"

enum { kThreads = 8, kOptions = 1200, kRounds = 4 };
static struct option {
  float spot, strike, rate, volatility, time;
  int put;
} options[kOptions];
static float prices[kOptions];
static double sums[kRounds];
static pthread_barrier_t barrier;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static float cumulative(float x) {
  static const float factors[] = {0.319381530f, -0.356563782f, 1.781477937f, -1.821255978f, 1.330274429f};
  const int negative = x < 0;
  if (negative) {
    x = -x;
  }
  const float k = 1 / (1 + 0.2316419f * x);
  float sum = 0, power = k;
  for (int i = 0; i < 5; ++i, power *= k) sum += factors[i] * power;
  const float value = 1 - 0.39894228f * expf(-0.5f * x * x) * sum;
  return negative ? 1 - value : value;
}

static float price(const struct option* o) {
  const float root = sqrtf(o->time);
  const float d1 = (logf(o->spot / o->strike) + (o->rate + 0.5f * o->volatility * o->volatility) * o->time) / (o->volatility * root);
  const float d2 = d1 - o->volatility * root;
  const float future = o->strike * expf(-o->rate * o->time);
  if (o->put) {
    PLACE(0);
    return future * (1 - cumulative(d2)) - o->spot * (1 - cumulative(d1));
  }
  PLACE(1);
  return o->spot * cumulative(d1) - future * cumulative(d2);
}

static void* work(void* argument) {
  const int me = (int)(long)argument;
  const int from = me * (kOptions / kThreads), to = from + kOptions / kThreads;
  PLACE(2);
  for (int round = 0; round < kRounds; ++round) {
    PLACE(3);
    double own = 0;
    for (int i = from; i < to; ++i) {
      prices[i] = price(&options[i]);
      own += prices[i];
      if (i % 8 == 0) PLACE(4);
      if (i % 32 == 31) PLACE(5);
    }
    PLACE(6);
    pthread_mutex_lock(&mutex);
    sums[round] += own;
    PLACE(7);
    pthread_mutex_unlock(&mutex);
    PLACE(8);
    pthread_barrier_wait(&barrier);
    PLACE(9);
  }
  PLACE(10);
  return NULL;
}

int main(void) {
  for (int i = 0; i < kOptions; ++i)
    options[i] = (struct option){90 + i % 21, 80 + i % 37, 0.03f, 0.1f + (float)(i % 7) / 20, 0.25f + (float)(i % 5) / 4, i % 3 == 0};
  pthread_barrier_init(&barrier, NULL, kThreads);
  pthread_t threads[kThreads];
  for (long i = 0; i < kThreads; ++i) {
    pthread_create(&threads[i], NULL, work, (void*)i);
    PLACE(11);
  }
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  return fabs(sums[0] - sums[kRounds - 1]) < 1 ? 0 : 1;
}
