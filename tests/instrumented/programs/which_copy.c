// Says for each function, before its first call and after many, whether the plain copy of it ran. Built with -fno-toplevel-reorder: all instrumented
// functions lie before `last`, all plain ones behind it.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static int numbers[400];
static long shared_sum;
static atomic_int atomic_sum;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char* boundary;

__attribute__((noinline)) int called_from_plain(void) { return (char*)__builtin_return_address(0) > boundary; }

__attribute__((noinline)) int computes(void) {
  int sum = 0;
  for (int i = 0; i < 400; ++i) sum += numbers[i];
  numbers[0] = sum & 1;
  return called_from_plain();
}

__attribute__((noinline)) int locks(void) {
  pthread_mutex_lock(&lock);
  for (int i = 0; i < 400; ++i) numbers[i] += i;
  pthread_mutex_unlock(&lock);
  return called_from_plain();
}

__attribute__((noinline)) int calls_what_locks(void) {
  for (int i = 0; i < 400; ++i) numbers[i] += i;
  return called_from_plain() + 0 * locks();
}

__attribute__((noinline)) int adds_atomically(void) {
  for (int i = 0; i < 400; ++i) numbers[i] += i;
  atomic_fetch_add(&atomic_sum, 1);
  return called_from_plain();
}

__attribute__((noinline)) int calls_by_pointer(int (*volatile* function)(void)) {
  for (int i = 0; i < 400; ++i) numbers[i] += i;
  return called_from_plain() + 0 * (*function)();
}

// Two threads meet here: with racing sites as points, its store is one.
__attribute__((noinline)) int races(void) {
  for (int i = 0; i < 400; ++i) numbers[i] += i;
  ++shared_sum;
  return called_from_plain();
}

static int (*volatile pointer)(void) = computes;
static int plain[6];
static void* work(void* unused) {
  for (int i = 0; i < 4; ++i) {
    plain[0] = computes();
    plain[1] = locks();
    plain[2] = calls_what_locks();
    plain[3] = adds_atomically();
    plain[4] = calls_by_pointer(&pointer);
    plain[5] = races();
  }
  return unused;
}

void last(void) { numbers[1] = 0; }

int main(void) {
  boundary = (char*)&last;
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
  for (int i = 0; i < 6; ++i) printf("%d", plain[i]);
  printf("\n");
  return 0;
}
