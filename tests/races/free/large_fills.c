// not even possible: fills of neighbouring halves; then the memory is freed, and another thread fills what is allocated in its place; then one fills
// it after the other.
#include "../two.h"

enum { kSize = 1 << 20 };
static char* block;

static void one(void) { memset(block, 1, kSize); }
static void two(void) { memset(block + kSize, 2, kSize); }
static void again(void) {
  char* mine = malloc(2 * kSize);
  memset(mine, 3, 2 * kSize);
  mine[kSize] = 4;
  free(mine);
}
static void in_turn(void (*function)(void)) {
  pthread_t thread;
  pthread_create(&thread, NULL, call_two, (void*)function);
  pthread_join(thread, NULL);
}

int main(void) {
  block = malloc(2 * kSize);
  run_both(one, two);
  block[kSize - 1] = 5;
  free(block);
  run_both(again, again);
  block = malloc(2 * kSize);
  in_turn(one);
  in_turn(one);
  in_turn(two);
  return block[0] + block[kSize] == 3 ? 0 : 1;
}
