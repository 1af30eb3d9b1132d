// Two threads that each first read what the other would write: a deadlock over pipes if the starter's token comes too late to both.
// heddle: expect=deadlock preemptions=1 runs<=500
#include <pthread.h>
#include <unistd.h>

static int there[2], back[2];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int asked;

static int first(void) {
  pthread_mutex_lock(&mutex);
  const int mine = asked;
  pthread_mutex_unlock(&mutex);
  // Two who both read 0 both think that the other one starts.
  pthread_mutex_lock(&mutex);
  ++asked;
  pthread_mutex_unlock(&mutex);
  return mine;
}

static void* left(void* unused) {
  (void)unused;
  char byte = 'l';
  if (first() == 1 && write(there[1], &byte, 1) != 1) return NULL;
  if (read(back[0], &byte, 1) != 1) return NULL;
  return write(there[1], &byte, 1) == 1 ? NULL : NULL;
}

static void* right(void* unused) {
  (void)unused;
  char byte = 'r';
  if (first() == 1 && write(back[1], &byte, 1) != 1) return NULL;
  if (read(there[0], &byte, 1) != 1) return NULL;
  return write(back[1], &byte, 1) == 1 ? NULL : NULL;
}

int main(void) {
  if (pipe(there) != 0 || pipe(back) != 0) return 2;
  pthread_t a, b;
  pthread_create(&a, NULL, left, NULL);
  pthread_create(&b, NULL, right, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
