#pragma once
// Bugs that are put into a working program, as RaceBench does it (Liang et al., "RaceBench: a benchmark of injected concurrency bugs"): a state machine over
// shared variables whose steps are visits of places in the kernel by certain threads. All steps in their order, and the program aborts.
//
// A program calls arm(bug, threads) first and point(place, thread) at its eight places. Bug 0 is none. Bug n has 2 + (n - 1) % 5 steps; an even one asks
// besides, in its last step, that the step before comes in the middle of a thread's visit.
#include <stdlib.h>

enum { kPlaces = 8, kMostThreads = 16, kMostSteps = 6, kBugs = 20 };

struct step {
  int thread, place, visit;
};

static struct {
  struct step steps[kMostSteps];
  int count;
  int inside;  // the last step is a visit during which the one before it happens
} bug;
static int state;  // how many steps were made: read and written by all threads, without a lock
static int visits[kMostThreads][kPlaces];

static unsigned next_number(unsigned* seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return *seed >> 16;
}

static void arm(int number, int threads) {
  if (number <= 0 || number > kBugs) return;
  unsigned seed = (unsigned)number * 2654435761u;
  bug.count = 2 + (number - 1) % 5;
  bug.inside = number % 2 == 0;
  for (int i = 0; i < bug.count; ++i) {
    // Against the order in which threads are created, so that it does not come by itself.
    const int thread = (threads - 1 - i % threads + (int)(next_number(&seed) % 2)) % threads;
    bug.steps[i] = (struct step){thread, (int)(next_number(&seed) % kPlaces), 1 + (int)(next_number(&seed) % 3)};
    if (i > 0 && bug.steps[i].thread == bug.steps[i - 1].thread) bug.steps[i].thread = (bug.steps[i].thread + 1) % threads;
  }
}

static void point(int place, int thread) {
  const int visit = ++visits[thread][place];
  for (int i = 0; i < bug.count; ++i) {
    const struct step* s = &bug.steps[i];
    if (s->thread != thread || s->place != place || s->visit != visit) continue;
    const int last = i == bug.count - 1;
    const int before = state;
    if (last && bug.inside) {
      if (before == i - 1 && state == i) abort();
    } else if (before == i) {
      if (last) abort();
      state = i + 1;
    }
  }
}
