// Each clearing house locks its own books and those of the next one: a circle over three.
// heddle-bug: kind=deadlock granularity=sync class=deadlock set=held
// fix: order
#include <pthread.h>

struct house {
  pthread_mutex_t books;
  long balance;
};

static struct house houses[3] = {{PTHREAD_MUTEX_INITIALIZER, 10}, {PTHREAD_MUTEX_INITIALIZER, 10}, {PTHREAD_MUTEX_INITIALIZER, 10}};

static void clear_with(struct house* from, struct house* to) {
  pthread_mutex_lock(&from->books);
  pthread_mutex_lock(&to->books);  // BUG
  from->balance--;
  to->balance++;
  pthread_mutex_unlock(&to->books);
  pthread_mutex_unlock(&from->books);
}

static void* settle(void* p) {
  const long i = (long)p;
  clear_with(&houses[i], &houses[(i + 1) % 3]);
  return 0;
}

int main(void) {
  pthread_t t[3];
  for (long i = 0; i < 3; i++) pthread_create(&t[i], 0, settle, (void*)i);
  for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
  return 0;
}
