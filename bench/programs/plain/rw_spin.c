// A lock for readers and writers, made by hand: a reader looks for a writer and then counts itself.
// heddle-bug: kind=assert granularity=access class=atomicity,race,order set=held
#include <assert.h>
#include <pthread.h>

static int readers, writer;
static long low, high;

static void read_lock(void) {
  while (__atomic_load_n(&writer, __ATOMIC_SEQ_CST)) {  // BUG
  }
  __atomic_fetch_add(&readers, 1, __ATOMIC_SEQ_CST);  // BUG
}

static void write_lock(void) {
  __atomic_store_n(&writer, 1, __ATOMIC_SEQ_CST);
  while (__atomic_load_n(&readers, __ATOMIC_SEQ_CST) != 0) {  // BUG
  }
}

static void* write_both(void* arg) {
  (void)arg;
  write_lock();
  low = 5;   // BUG
  high = 5;  // BUG
  __atomic_store_n(&writer, 0, __ATOMIC_SEQ_CST);
  return NULL;
}

static void* read_both(void* arg) {
  (void)arg;
  read_lock();
  long a = low, b = high;  // BUG
  __atomic_fetch_sub(&readers, 1, __ATOMIC_SEQ_CST);
  assert(a == b);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, write_both, NULL);
  pthread_create(&b, NULL, read_both, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
