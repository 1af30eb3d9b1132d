#pragma once
// Bugs planted at the places of a working program, in the manner of RaceBench (Liang et al. 2023): each is a state machine over variables that all threads
// update without a lock, and where it comes to a certain state a window opens in which a second thread must run.
//
// A kernel calls PLACE(n) at its places, outside of expressions. Compiled with
//   -DPLANTED=\"planted_KERNEL.h\"  its 20 bugs are in it (plant.py makes that file); -DONLY=n: only bug n, and the program aborts at its end when it was met
//   -DPLACES_LOG                    the order of visits is written to the file $PLACES_LOG instead: what plant.py starts from
//   neither                         the places are empty
// Which bugs a run met is added as a line to the file $PLANTED_MET when it ends.
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#if defined PLACES_LOG

enum { kMostVisits = 200000 };
static struct visit { unsigned char thread, place; } visits[kMostVisits];
static int visit_count, visitor_count;
static __thread int visitor = -1;

__attribute__((no_sanitize("thread"), noinline)) static void log_visit(int place) {
  if (visitor < 0) visitor = visitor_count++;
  if (visit_count < kMostVisits) visits[visit_count++] = (struct visit){(unsigned char)visitor, (unsigned char)place};
}
#define PLACE(n)   \
  do {             \
    log_visit(n);  \
    sched_yield(); \
  } while (0)

__attribute__((destructor)) static void write_visits(void) {
  const char* path = getenv("PLACES_LOG");
  FILE* file = path ? fopen(path, "w") : NULL;
  if (!file) return;
  for (int i = 0; i < visit_count; ++i) fprintf(file, "%d %d\n", visits[i].thread, visits[i].place);
  fclose(file);
}

#elif defined PLANTED

enum { kBugs = 20, kVariables = 16 };
static struct {
  volatile uint32_t v[kVariables];
  pthread_mutex_t lock;
} planted[kBugs];
static unsigned planted_met;  // a bit for each bug

#ifdef ONLY
#define BUG(n, ...)  \
  if ((n) == ONLY) { \
    __VA_ARGS__      \
  }
#else
#define BUG(n, ...) \
  { __VA_ARGS__ }
#endif
#define V(n, i) planted[n].v[i]
#define LOCKED(n, ...)                      \
  {                                         \
    pthread_mutex_lock(&planted[n].lock);   \
    __VA_ARGS__                             \
    pthread_mutex_unlock(&planted[n].lock); \
  }
#define MET(n) (void)__atomic_fetch_or(&planted_met, 1u << (n), __ATOMIC_SEQ_CST)
#include PLANTED
#define PLACE(n) \
  do {           \
    PLACE_##n    \
  } while (0)

__attribute__((destructor)) static void write_met(void) {
  const char* path = getenv("PLANTED_MET");
  const int file = path && planted_met ? open(path, O_WRONLY | O_CREAT | O_APPEND, 0666) : -1;
  char line[16];
  const int length = snprintf(line, sizeof line, "%x\n", planted_met);
  if (file >= 0 && write(file, line, (size_t)length) != length) perror(path);
  if (file >= 0) close(file);
#ifdef ONLY
  if (planted_met) abort();
#endif
}

#else
#define PLACE(n) (void)0
#endif
