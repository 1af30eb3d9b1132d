// A use after a free, in plain code: the value that was there is still there, so that nothing but the use itself is wrong.
#include <pthread.h>
#include <stdlib.h>

struct Session {
  long id;
};
static struct Session* volatile current;
static volatile long seen;

static void* looks(void* unused) {
  struct Session* mine = current;
  if (mine != NULL) seen = mine->id;
  return unused;
}

static void* closes(void* unused) {
  struct Session* mine = current;
  current = NULL;
  free(mine);
  return unused;
}

int main(void) {
  pthread_t t[2];
  current = malloc(sizeof *current);
  current->id = 7;
  pthread_create(&t[0], NULL, looks, NULL);
  pthread_create(&t[1], NULL, closes, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(t[i], NULL);
  return 0;
}
