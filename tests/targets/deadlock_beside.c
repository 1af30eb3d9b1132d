// heddle: expect=deadlock runs<=300 message="cycle of lock owners"
// Two locks taken in opposite orders, while a third thread works for ever and main would handle a signal that nobody sends.
#include <pthread.h>
#include <sched.h>
#include <signal.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER, done_lock = PTHREAD_MUTEX_INITIALIZER;
static int done;

static void handle(int number) { (void)number; }

static void* forward(void* unused) {
  (void)unused;
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  return 0;
}

static void* backward(void* unused) {
  (void)unused;
  pthread_mutex_lock(&b);
  pthread_mutex_lock(&a);
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&b);
  return 0;
}

static void* work(void* unused) {
  (void)unused;
  for (int ends = 0; !ends;) {
    pthread_mutex_lock(&done_lock);
    ends = done;
    pthread_mutex_unlock(&done_lock);
    sched_yield();
  }
  return 0;
}

int main(void) {
  pthread_t one, two, third;
  signal(SIGINT, handle);
  pthread_create(&one, 0, forward, 0);
  pthread_create(&two, 0, backward, 0);
  pthread_create(&third, 0, work, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  pthread_mutex_lock(&done_lock);
  done = 1;
  pthread_mutex_unlock(&done_lock);
  pthread_join(third, 0);
  return 0;
}
