// A function that runs often for nothing, and then crashes when two threads meet: one takes the table away between another's check and its use.
// How far the search gets before that is up to the schedule; the loop makes the function's hooks not worth their calls.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static int numbers[400];
static int* table = numbers;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) static long sum(const int* from) {
  long total = 0;
#ifdef CHECKED
  assert(from != NULL);
#endif
  for (int i = 0; i < 400; ++i) total += from[i];
  return total;
}

static int present(void) {
  pthread_mutex_lock(&lock);
  const int is = table != NULL;
  pthread_mutex_unlock(&lock);
  return is;
}

static int* taken(void) {
  pthread_mutex_lock(&lock);
  int* is = table;
  pthread_mutex_unlock(&lock);
  return is;
}

static void* add(void* unused) {
  long total = 0;
  for (int i = 0; i < 3; ++i) {
    if (present()) total += sum(taken());
  }
  printf("%ld\n", total);
  return unused;
}

static void* drop(void* unused) {
  pthread_mutex_lock(&lock);
  table = NULL;
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, add, NULL);
  pthread_create(&threads[1], NULL, drop, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}
