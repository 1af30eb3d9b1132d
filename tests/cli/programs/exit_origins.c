// A lost update makes the program end with a wrong exit code: the value comes from one of two threads.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100;

static void* withdraw(void* p) {
  int amount = (int)(long)p, seen;
  pthread_mutex_lock(&lock);
  seen = balance;  // reads
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
  balance = seen - amount;  // writes
  pthread_mutex_unlock(&lock);
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, withdraw, (void*)10);  // ten
  pthread_create(&b, 0, withdraw, (void*)50);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return balance == 40 ? 0 : 3;  // returns
}
