// Two threads that share nothing but a lock. Exits with the code given, or dies of the signal given as -N.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void* work(void* arg) {
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  return arg;
}

int main(int argc, char** argv) {
  pthread_t a, b;
  pthread_create(&a, NULL, work, NULL);
  pthread_create(&b, NULL, work, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  puts("to stdout");
  fputs("to stderr\n", stderr);
  const int code = argc > 1 ? atoi(argv[1]) : 0;
  if (code < 0) raise(-code);
  return code;
}
