// verify: fixed
// The flag says "started" before what it stands for is there.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct logger {
  int lines;
};
static pthread_mutex_t starting = PTHREAD_MUTEX_INITIALIZER;
static int started;
static struct logger* the_logger;

static void start(void) {
  pthread_mutex_lock(&starting);
  if (!started) {
    the_logger = calloc(1, sizeof *the_logger);
    started = 1;
  }
  pthread_mutex_unlock(&starting);
}

static void say(void) {
  start();
  pthread_mutex_lock(&starting);
  struct logger* log = the_logger;
  ++log->lines;
  pthread_mutex_unlock(&starting);
}

static void* speaker(void* unused) {
  (void)unused;
  say();
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, speaker, NULL);
  pthread_create(&b, NULL, speaker, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  printf("%d lines\n", the_logger->lines);
  free(the_logger);
  return 0;
}
