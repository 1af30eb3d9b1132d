// A socket's state, its transport and its reference: connect looks at the state, release drops the transport, and a third thread assigns one again between the two.
// heddle-kernel: family=three_socket kind=assert granularity=access class=uaf
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

struct transport {
  int alive;
};
static struct transport first = {1}, second = {1};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct transport* volatile current = &first;
static volatile int connected, users;

static void* assign(void* unused) {
  (void)unused;
  pthread_mutex_lock(&lock);
  if (!connected && users == 0) {
    current->alive = 0;
    current = &second;
  }
  pthread_mutex_unlock(&lock);
  return NULL;
}

static void* connect_it(void* unused) {
  (void)unused;
#ifdef FIXED
  pthread_mutex_lock(&lock);
#endif
  struct transport* t = current;  // BUG
  users = users + 1;
  connected = 1;
  const int alive = t->alive;
#ifdef FIXED
  pthread_mutex_unlock(&lock);
#endif
  assert(alive);
  return NULL;
}

static void* release(void* unused) {
  (void)unused;
  pthread_mutex_lock(&lock);
  connected = 0;
  if (users > 0) users = users - 1;
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t t[3];
  pthread_create(&t[0], NULL, release, NULL);
  pthread_create(&t[1], NULL, connect_it, NULL);
  pthread_create(&t[2], NULL, assign, NULL);
  for (int i = 0; i < 3; ++i) pthread_join(t[i], NULL);
  return 0;
}
