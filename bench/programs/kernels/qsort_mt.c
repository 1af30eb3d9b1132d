// Parallel quicksort on a pool of two workers: the sorter hands the left part to an idle worker and
// goes on with the right one. A worker marks itself idle before its part is done counting, so the
// last one may declare the sort finished while a part is still being sorted.
// Stands for: "qsort_mt" of SCTBench (after FreeBSD's qsort_mt), found hard for random search.
// Ours differs: eight numbers, a stack of ranges, and an outstanding-parts counter as the seeded bug.
// heddle-kernel: family=qsort_mt kind=assert granularity=sync optimum=1 class=order
#include <assert.h>
#include <pthread.h>

enum { kCount = 8, kWorkers = 2, kParts = 16 };

struct part {
  int from, to;  // half open
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct part parts[kParts];
static int waiting, outstanding;
static int numbers[kCount] = {5, 3, 8, 1, 7, 2, 6, 4};

static void hand_out(int from, int to) {
  pthread_mutex_lock(&lock);
  parts[waiting].from = from;
  parts[waiting].to = to;
  waiting++;
  outstanding++;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
}

static int split(int from, int to) {
  int pivot = numbers[to - 1], middle = from;
  for (int i = from; i < to; i++) {
    if (numbers[i] < pivot || i == to - 1) {
      int swap = numbers[i];
      numbers[i] = numbers[middle];
      numbers[middle] = swap;
      middle++;
    }
  }
  return middle - 1;
}

static void part_done(void) {
  pthread_mutex_lock(&lock);
  outstanding--;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
}

static void sort_part(struct part p) {
#ifndef FIXED
  part_done();  // BUG
#endif
  while (p.to - p.from > 1) {
    int middle = split(p.from, p.to);
    if (middle - p.from > 1) hand_out(p.from, middle);
    p.from = middle + 1;
  }
#ifdef FIXED
  part_done();
#endif
}

static void* worker(void* arg) {
  (void)arg;
  for (;;) {
    pthread_mutex_lock(&lock);
    while (waiting == 0 && outstanding > 0) pthread_cond_wait(&changed, &lock);
    if (waiting == 0) {
      pthread_mutex_unlock(&lock);
      return NULL;
    }
    struct part p = parts[--waiting];
    pthread_mutex_unlock(&lock);
    sort_part(p);
  }
}

int main(void) {
  pthread_t t[kWorkers];
  hand_out(0, kCount);
  for (int i = 0; i < kWorkers; i++) pthread_create(&t[i], NULL, worker, NULL);
  pthread_mutex_lock(&lock);
  while (outstanding > 0) pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
  for (int i = 1; i < kCount; i++) assert(numbers[i - 1] <= numbers[i]);
  for (int i = 0; i < kWorkers; i++) pthread_join(t[i], NULL);
  return 0;
}
