// A letter is announced before it is written.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>

static sem_t announced;
static char letter[16];
static pthread_mutex_t desk = PTHREAD_MUTEX_INITIALIZER;

static void put(const char* text) {
  pthread_mutex_lock(&desk);
  strcpy(letter, text);
  pthread_mutex_unlock(&desk);
}

static void* postman(void* arg) {
  (void)arg;
  sem_post(&announced);
  put("hello");
  return NULL;
}

static void* reader(void* arg) {
  (void)arg;
  sem_wait(&announced);
  pthread_mutex_lock(&desk);
  assert(letter[0] == 'h');
  pthread_mutex_unlock(&desk);
  return NULL;
}

int main(void) {
  sem_init(&announced, 0, 0);
  pthread_t a, b;
  pthread_create(&b, NULL, reader, NULL);
  pthread_create(&a, NULL, postman, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
