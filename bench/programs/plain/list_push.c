// A list to which two threads push without a lock: one node is lost.
// heddle-bug: kind=assert granularity=access class=atomicity,race set=held
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct node {
  struct node* next;
};
static struct node* list;

static void* push(void* arg) {
  struct node* n = malloc(sizeof *n);
  (void)arg;
  n->next = list;  // BUG
  list = n;        // BUG
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  int length = 0;
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, push, NULL);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  for (struct node* n = list; n != NULL; n = n->next) length++;
  assert(length == 2);
  return 0;
}
