// verify: fixed
// One lock for the list, functions split.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
  pthread_mutex_t lock;
  int key;
  int dead;
  struct node* next;
};

static pthread_mutex_t whole = PTHREAD_MUTEX_INITIALIZER;

static struct node* make(int key, struct node* next) {
  struct node* n = malloc(sizeof *n);
  pthread_mutex_init(&n->lock, NULL);
  n->key = key;
  n->dead = 0;
  n->next = next;
  return n;
}

static int find(struct node* head, int key) {
  struct node* n = head;
  int found = 0;
  pthread_mutex_lock(&whole);
  while (n && !found) {
    assert(!n->dead);
    found = n->key == key;
    n = n->next;
  }
  pthread_mutex_unlock(&whole);
  return found;
}

static void drop(struct node* head, int key) {
  struct node* before = head;
  pthread_mutex_lock(&whole);
  struct node* n = before->next;
  if (n->key == key) {
    before->next = n->next;
    n->dead = 1;
  }
  pthread_mutex_unlock(&whole);
}

static struct node* head;

static void* searcher(void* arg) {
  (void)arg;
  find(head, 3);
  return NULL;
}

static void* dropper(void* arg) {
  (void)arg;
  drop(head, 2);
  return NULL;
}

int main(void) {
  head = make(1, make(2, make(3, NULL)));
  pthread_t a, b;
  pthread_create(&a, NULL, searcher, NULL);
  pthread_create(&b, NULL, dropper, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
