// Computes for a while on a few words of memory, each thread in its own way: no loop here waits for anybody.
#include <pthread.h>
#include <stdio.h>

enum { kRounds = 60000000 };
static double bodies[4][2];
static volatile unsigned long state = 1;
static unsigned table[8];

static void* moves(void* unused) {
  (void)unused;
  for (int i = 0; i < kRounds / 4; ++i) {
    for (int k = 0; k < 4; ++k) bodies[k][0] += bodies[(k + 1) % 4][1] * 0.5 + 1;
  }
  return NULL;
}

static void* draws(void* unused) {
  (void)unused;
  for (int i = 0; i < kRounds; ++i) state = state * 6364136223846793005ul + 1442695040888963407ul;
  return NULL;
}

static void* looks_up(void* unused) {
  (void)unused;
  unsigned c = 1;
  for (int i = 0; i < kRounds * 2; ++i) c = ((volatile unsigned*)table)[(c ^ (unsigned)i) & 7] ^ (c >> 3);
  table[0] = c;
  return NULL;
}

int main(void) {
  pthread_t threads[3];
  for (unsigned i = 0; i < 8; ++i) table[i] = i * 2654435761u;
  pthread_create(&threads[0], NULL, moves, NULL);
  pthread_create(&threads[1], NULL, draws, NULL);
  pthread_create(&threads[2], NULL, looks_up, NULL);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  printf("%.1f %lu %u\n", bodies[0][0], state, table[0]);
  return 0;
}
