// A producer and two consumers on a POSIX message queue that holds two messages; a receive that times out; a try on an empty queue.
// heddle: expect=none runs<=60
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CHECK(condition)       \
  do {                         \
    if (!(condition)) abort(); \
  } while (0)

static mqd_t queue;
static int sum;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void* produce(void* unused) {
  for (int i = 1; i <= 8; ++i) CHECK(mq_send(queue, (const char*)&i, sizeof i, 0) == 0);
  return unused;
}

static void* consume(void* unused) {
  for (int n = 0; n < 4; ++n) {
    int value = 0;
    unsigned priority = 7;
    CHECK(mq_receive(queue, (char*)&value, sizeof value, &priority) == sizeof value && priority == 0);
    pthread_mutex_lock(&lock);
    sum += value;
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

static void* nothing(void* unused) { return unused; }

int main(void) {
  pthread_t a, b, c;
  // The queue outlives the process: it must be this execution's own, so it comes after the first thread.
  pthread_create(&a, NULL, nothing, NULL);
  pthread_join(a, NULL);
  struct mq_attr attributes = {.mq_maxmsg = 2, .mq_msgsize = sizeof(int)};
  mq_unlink("/heddle-messages");
  queue = mq_open("/heddle-messages", O_RDWR | O_CREAT, 0600, &attributes);
  if (queue == (mqd_t)-1) return 0;  // the system has none
  mq_unlink("/heddle-messages");
  pthread_create(&a, NULL, consume, NULL);
  pthread_create(&b, NULL, consume, NULL);
  pthread_create(&c, NULL, produce, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  pthread_join(c, NULL);
  CHECK(sum == 36);
  int value = 0;
  struct timespec soon;
  clock_gettime(CLOCK_REALTIME, &soon);
  soon.tv_sec += 5;
  CHECK(mq_timedreceive(queue, (char*)&value, sizeof value, NULL, &soon) == -1 && errno == ETIMEDOUT);
  struct mq_attr tries = {.mq_flags = O_NONBLOCK};
  CHECK(mq_setattr(queue, &tries, NULL) == 0);
  CHECK(mq_receive(queue, (char*)&value, sizeof value, NULL) == -1 && errno == EAGAIN);
  return 0;
}
