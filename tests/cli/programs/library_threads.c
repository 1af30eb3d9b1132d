// Is told of a message, or of an address, by a thread that the C library makes.
#define _GNU_SOURCE
#include <fcntl.h>
#include <mqueue.h>
#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int done;

static void told(union sigval value) {
  (void)value;
  pthread_mutex_lock(&lock);
  done = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
}

int main(int count, char** words) {
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_THREAD;
  event.sigev_notify_function = told;
  if (count > 1 && strcmp(words[1], "message") == 0) {
    const mqd_t queue = mq_open("/heddle-library-threads", O_CREAT | O_RDWR, 0600, NULL);
    mq_unlink("/heddle-library-threads");
    if (mq_notify(queue, &event) != 0 || mq_send(queue, "x", 1, 0) != 0) return 2;
  } else {
    static struct gaicb request = {.ar_name = "127.0.0.1"};
    struct gaicb* list[1] = {&request};
    if (getaddrinfo_a(GAI_NOWAIT, list, 1, &event) != 0) return 2;
  }
  pthread_mutex_lock(&lock);
  while (!done) pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
  return 0;
}
