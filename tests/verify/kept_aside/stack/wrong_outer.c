// verify: fails-differently
// The outer lock, and the inner ones, too.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
  struct node* next;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct node* head;
static int length;

static struct node* top(void) {
  pthread_mutex_lock(&lock);
  struct node* n = head;
  pthread_mutex_unlock(&lock);
  return n;
}

static void unlink_top(struct node* n) {
  pthread_mutex_lock(&lock);
  assert(head == n);
  head = n->next;
  --length;
  pthread_mutex_unlock(&lock);
}

static void* pop(void* arg) {
  (void)arg;
  pthread_mutex_lock(&lock);
  struct node* n = top();
  if (n != NULL) unlink_top(n);
  pthread_mutex_unlock(&lock);
  return n;
}

int main(void) {
  static struct node nodes[3];
  for (int i = 0; i < 3; ++i) {
    nodes[i].next = head;
    head = &nodes[i];
    ++length;
  }
  pthread_t a, b;
  pthread_create(&a, NULL, pop, NULL);
  pthread_create(&b, NULL, pop, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return length == 1 ? 0 : 1;
}
