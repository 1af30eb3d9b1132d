// verify: still-fails
// The flag says "started" before what it stands for is there.
#include <pthread.h>
#include <sched.h>
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
  const int mine = !started;
  started = 1;
  pthread_mutex_unlock(&starting);
  if (mine) {
    struct logger* made = calloc(1, sizeof *made);
    pthread_mutex_lock(&starting);
    the_logger = made;
    pthread_mutex_unlock(&starting);
  }
}

static void say(void) {
  start();
  sched_yield();
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
