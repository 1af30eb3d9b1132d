// The reply is read whether or not it came in time.
// heddle-bug: kind=signal granularity=sync class=misuse,order set=held
// fix: time.?out|result|answer|only|before
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>

struct call {
  sem_t answered;
  int* reply;
};

static void* server(void* arg) {
  struct call* call = arg;
  struct timespec busy = {0, 50 * 1000 * 1000};
  nanosleep(&busy, NULL);
  int* reply = malloc(sizeof *reply);
  *reply = 42;
  call->reply = reply;
  sem_post(&call->answered);
  return NULL;
}

int main(void) {
  struct call call = {.reply = NULL};
  sem_init(&call.answered, 0, 0);
  pthread_t id;
  pthread_create(&id, NULL, server, &call);
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += 1;
  sem_timedwait(&call.answered, &until);  // BUG
  int code = *call.reply;                 // FIX
  pthread_join(id, NULL);
  return code == 42 ? 0 : 1;
}
