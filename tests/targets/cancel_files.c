// Calls on files are cancellation points although they do not wait for anybody; a detached thread knows that it is one.
// heddle: expect=none runs<=20
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

static FILE* file;
static char page[16];
static int detached = -1;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static void call(int which) {
  const struct iovec piece = {page, sizeof page};
  const int fd = fileno(file);
  switch (which) {
    case 0: open("/dev/null", O_RDONLY); break;
    case 1: creat("/dev/null", 0600); break;
    case 2: close(-1); break;
    case 3: pread(fd, page, sizeof page, 0); break;
    case 4: pwrite(fd, page, sizeof page, 0); break;
    case 5: preadv(fd, &piece, 1, 0); break;
    case 6: pwritev2(fd, &piece, 1, 0, 0); break;
    case 7: fsync(fd); break;
    case 8: fdatasync(fd); break;
    case 9: msync(NULL, 0, MS_ASYNC); break;
  }
}
static void* cancelled(void* which) {
  pthread_cancel(pthread_self());
  call(*(int*)which);
  return NULL;
}
static void* looks(void* unused) {
  pthread_attr_t attributes;
  int state = -1;
  (void)unused;
  pthread_getattr_np(pthread_self(), &attributes);
  pthread_attr_getdetachstate(&attributes, &state);
  pthread_attr_destroy(&attributes);
  pthread_mutex_lock(&mutex);
  detached = state == PTHREAD_CREATE_DETACHED;
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void) {
  pthread_attr_t attributes;
  pthread_t thread;
  file = tmpfile();
  for (int i = 0; i < 10; ++i) {
    void* result = NULL;
    pthread_create(&thread, NULL, cancelled, &i);
    pthread_join(thread, &result);
    if (result != PTHREAD_CANCELED) return 1 + i;
  }
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_create(&thread, &attributes, looks, NULL);
  pthread_mutex_lock(&mutex);
  while (detached < 0) pthread_cond_wait(&condition, &mutex);
  pthread_mutex_unlock(&mutex);
  return detached == 1 ? 0 : 20;
}
