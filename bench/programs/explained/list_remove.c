// One walks a list with a lock a node; the remover frees a node of which it has only the one before.
// heddle-bug: kind=signal,abort,assert granularity=access class=uaf,atomicity,order set=tuned
// fix: lock|wait|hold|before
#include <assert.h>
#include <pthread.h>

struct node {
  pthread_mutex_t lock;
  int value, freed;
  struct node* next;
};

static struct node c = {PTHREAD_MUTEX_INITIALIZER, 3, 0, 0};
static struct node b = {PTHREAD_MUTEX_INITIALIZER, 2, 0, &c};
static struct node a = {PTHREAD_MUTEX_INITIALIZER, 1, 0, &b};

static void* sum(void* unused) {
  (void)unused;
  int total = 0;
  struct node* n = &a;
  while (n) {
    pthread_mutex_lock(&n->lock);
    assert(!n->freed);
    total += n->value;
    struct node* next = n->next;  // BUG
    pthread_mutex_unlock(&n->lock);
    n = next;
  }
  return (void*)(long)total;
}

static void* remove_second(void* unused) {
  (void)unused;
  pthread_mutex_lock(&a.lock);
  struct node* gone = a.next;
  a.next = gone->next;
  pthread_mutex_unlock(&a.lock);
  pthread_mutex_lock(&gone->lock);  // FIX
  gone->freed = 1;                  // BUG
  pthread_mutex_unlock(&gone->lock);
  return 0;
}

int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], 0, sum, 0);
  pthread_create(&t[1], 0, remove_second, 0);
  pthread_join(t[0], 0);
  pthread_join(t[1], 0);
  return 0;
}
