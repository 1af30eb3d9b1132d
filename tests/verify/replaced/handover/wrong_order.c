// verify: fails-differently
// Hand over hand, and the other goes backwards.
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
  pthread_mutex_lock(&n->lock);
  while (n) {
    assert(!n->dead);
    if (n->key == key) {
      pthread_mutex_unlock(&n->lock);
      return 1;
    }
    struct node* next = n->next;
    if (next) pthread_mutex_lock(&next->lock);
    pthread_mutex_unlock(&n->lock);
    n = next;
  }
  return 0;
}

static void drop(struct node* head, int key) {
  struct node* before = head;
  struct node* n = before->next;
  pthread_mutex_lock(&n->lock);
  pthread_mutex_lock(&before->lock);
  if (n->key == key) {
    before->next = n->next;
    n->dead = 1;
  }
  pthread_mutex_unlock(&n->lock);
  pthread_mutex_unlock(&before->lock);
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
