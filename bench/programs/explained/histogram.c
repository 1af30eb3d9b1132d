// Words are counted by length into one table, from two threads.
// heddle-bug: kind=exit granularity=access class=race,atomicity set=tuned
// fix: lock|atomic
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static const char* words[] = {"ant", "bee", "cow", "dog"};
static unsigned lengths[8];

struct part {
  int first, last;
};

static void* count(void* p) {
  const struct part* mine = p;
  for (int i = mine->first; i < mine->last; i++) lengths[strlen(words[i])]++;  // BUG
  return 0;
}

int main(void) {
  struct part parts[2] = {{0, 2}, {2, 4}};
  pthread_t t[2];
  for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, count, &parts[i]);
  for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
  if (lengths[3] != 4) {
    fprintf(stderr, "counted %u words of 4\n", lengths[3]);
    return 1;
  }
  return 0;
}
