// One of two updates is lost, each a single instruction, and the run that fails has a point in the middle of it.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static int counter;

static void* one(void* arg) {
  counter += 1;  // adds
  return arg;
}

static void* two(void* arg) {
  counter += 2;  // doubles
  return arg;
}

int main(int count, char** words) {
  (void)words;
  pthread_t a, b;
  counter = count + 4;  // sets
  pthread_create(&a, NULL, one, NULL);
  pthread_create(&b, NULL, two, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(counter == count + 7);  // fails
  return 0;
}
