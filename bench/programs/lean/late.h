// The long form of a driver that fails late: -DLATE=6 -DWORK=500. Before its iteration LATE a driver takes the way without the bug, and with each
// request it goes WORK times through a lock that has nothing to do with the bug.
#ifndef HEDDLE_BENCH_LATE_H
#define HEDDLE_BENCH_LATE_H

#include <pthread.h>

#include "../../../include/heddle/heddle.h"

#ifndef LATE
#define LATE 0
#endif
#ifndef WORK
#define WORK 0
#endif

static pthread_mutex_t late_lock = PTHREAD_MUTEX_INITIALIZER;
static long late_count;

static inline int late_is_safe(int iteration) { return iteration < LATE; }
static inline void late_work(void) {
  for (long i = 0; i < WORK; i++) {
    pthread_mutex_lock(&late_lock);
    late_count++;
    pthread_mutex_unlock(&late_lock);
  }
}

#endif
