// A pointer is looked at and then used; another thread takes it away in between. The crash happens at an instruction that is a point.
#include <pthread.h>
#include <stddef.h>

static int value = 42;
static int* volatile current = &value;

static void* withdraw(void* unused) {
  current = NULL;
  return unused;
}

static void* look(void* unused) {
  static int seen;
  if (current != NULL) seen += *current;
  return unused;
}

int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], NULL, look, NULL);
  pthread_create(&t[1], NULL, withdraw, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(t[i], NULL);
  return 0;
}
