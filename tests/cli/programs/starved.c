// A thread that never blocks until main, which sleeps, tells it to end; and a thread that finds its name under its own number.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int over;

static void* work(void* unused) {
  (void)unused;
  for (int end = 0; !end;) {
    pthread_mutex_lock(&mutex);
    end = over;
    pthread_mutex_unlock(&mutex);
  }
  return 0;
}

int main(void) {
  char path[64], name[32] = "";
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  usleep(150000);
  pthread_mutex_lock(&mutex);
  over = 1;
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, 0);
  pthread_setname_np(pthread_self(), "found");
  snprintf(path, sizeof path, "/proc/self/task/%d/comm", gettid());
  const int file = open(path, O_RDONLY);
  const ssize_t length = read(file, name, sizeof name - 1);
  return length > 0 && strcmp(name, "found\n") == 0 ? 0 : 1;
}
