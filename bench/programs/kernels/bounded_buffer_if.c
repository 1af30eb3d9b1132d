// A one-slot buffer whose consumers test the condition with `if`: a second consumer can take the
// item between the signal and the waiter's return, and the waiter then takes from an empty buffer.
// Stands for: the stolen wake-up; "boundedBuffer" of the ConTest suite (Farchi, Nir & Ur 2003).
// Ours differs: one producer and two consumers, each moving one item of two.
// heddle-kernel: family=bounded_buffer kind=assert granularity=sync optimum=1 class=wait
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
static int count;

#ifdef FIXED
#define AWAIT while
#else
#define AWAIT if
#endif

static void* consume(void* arg) {
  (void)arg;
  pthread_mutex_lock(&lock);
  AWAIT(count == 0) pthread_cond_wait(&not_empty, &lock);  // BUG
  assert(count > 0);
  count--;
  pthread_mutex_unlock(&lock);
  return NULL;
}

static void* produce(void* arg) {
  (void)arg;
  for (int i = 0; i < 2; i++) {
    pthread_mutex_lock(&lock);
    count++;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}

int main(void) {
  pthread_t c1, c2, p;
  pthread_create(&c1, NULL, consume, NULL);
  pthread_create(&c2, NULL, consume, NULL);
  pthread_create(&p, NULL, produce, NULL);
  pthread_join(c1, NULL);
  pthread_join(c2, NULL);
  pthread_join(p, NULL);
  assert(count == 0);
  return 0;
}
