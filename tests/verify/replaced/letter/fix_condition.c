// verify: fixed
// A condition instead of the semaphore.
#include <assert.h>
#include <pthread.h>
#include <string.h>

static pthread_cond_t announced = PTHREAD_COND_INITIALIZER;
static char letter[16];
static pthread_mutex_t desk = PTHREAD_MUTEX_INITIALIZER;

static void put(const char* text) {
  pthread_mutex_lock(&desk);
  strcpy(letter, text);
  pthread_cond_signal(&announced);
  pthread_mutex_unlock(&desk);
}

static void* postman(void* arg) {
  (void)arg;
  put("hello");
  return NULL;
}

static void* reader(void* arg) {
  (void)arg;
  pthread_mutex_lock(&desk);
  while (letter[0] == 0) pthread_cond_wait(&announced, &desk);
  assert(letter[0] == 'h');
  pthread_mutex_unlock(&desk);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&b, NULL, reader, NULL);
  pthread_create(&a, NULL, postman, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
