// A text that changes between the call that measures it and the call that copies it: out of reach unless these calls are scheduling points.
#include <assert.h>
#include <pthread.h>
#include <string.h>

static char name[32] = "short";

static void* renames(void* unused) {
  memcpy(name, "something longer", 17);
  return unused;
}

static void* copies(void* unused) {
  char own[32];
  memset(own, 'x', sizeof own);
  const size_t length = strlen(name);
  memcpy(own, name, length);
  own[sizeof own - 1] = 0;
  assert(strncmp(own, length == 5 ? "short" : "something longer", length) == 0);
  return unused;
}

int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], NULL, renames, NULL);
  pthread_create(&t[1], NULL, copies, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(t[i], NULL);
  return 0;
}
