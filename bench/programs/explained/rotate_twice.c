// Two threads notice that the log is full; both rotate it, and one closes a descriptor that is closed.
// heddle-bug: kind=abort granularity=sync class=atomicity set=tuned
// fix: (one|same) (critical section|lock)|hold|under
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIMIT 48

struct log {
  pthread_mutex_t lock;
  int fd;
  size_t written;
  int generation;
};

static struct log journal = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void die(const char* what) {
  perror(what);
  abort();
}

static int log_full(struct log* l) {
  pthread_mutex_lock(&l->lock);
  int full = l->written > LIMIT;
  pthread_mutex_unlock(&l->lock);
  return full;
}

static void log_rotate(struct log* l) {
  pthread_mutex_lock(&l->lock);  // FIX
  if (close(l->fd) != 0) die("close");
  l->fd = -1;
  pthread_mutex_unlock(&l->lock);  // BUG
  int fresh = open("/dev/null", O_WRONLY);
  if (fresh < 0) die("open");
  pthread_mutex_lock(&l->lock);  // FIX
  l->fd = fresh;
  l->written = 0;
  l->generation++;
  pthread_mutex_unlock(&l->lock);
}

static void log_line(struct log* l, const char* text) {
  if (log_full(l)) log_rotate(l);  // BUG
  pthread_mutex_lock(&l->lock);
  if (l->fd >= 0) l->written += (size_t)write(l->fd, text, strlen(text));
  pthread_mutex_unlock(&l->lock);
}

static void* speaker(void* arg) {
  for (int i = 0; i < 2; i++) log_line(&journal, arg);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  journal.fd = open("/dev/null", O_WRONLY);
  pthread_create(&a, NULL, speaker, "the first speaker says a good many words\n");
  pthread_create(&b, NULL, speaker, "the second one\n");
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  close(journal.fd);
  return 0;
}
