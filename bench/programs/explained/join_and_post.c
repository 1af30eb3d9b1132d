// The reaper joins the worker, the worker waits for the reaper's permit.
// heddle-bug: kind=deadlock granularity=sync class=deadlock,order set=held
// fix: before|post|join
#include <pthread.h>
#include <semaphore.h>

static sem_t permit;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int busy;
static pthread_t worker_thread;

static void* worker(void* unused) {
  pthread_mutex_lock(&m);
  int again = busy;
  busy = 1;
  pthread_mutex_unlock(&m);
  if (again) sem_wait(&permit);  // FIX
  return unused;
}

static void* reaper(void* unused) {
  pthread_mutex_lock(&m);
  busy = 1;
  pthread_mutex_unlock(&m);
  pthread_join(worker_thread, NULL);  // BUG
  sem_post(&permit);
  return unused;
}

int main(void) {
  pthread_t r;
  sem_init(&permit, 0, 0);
  pthread_create(&worker_thread, NULL, worker, NULL);
  pthread_create(&r, NULL, reaper, NULL);
  pthread_join(r, NULL);
  return 0;
}
