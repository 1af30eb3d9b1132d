// A route is looked up under the read lock and used under the write lock, later.
// heddle-bug: kind=assert granularity=sync class=atomicity set=held
// fix: one (lock|critical section)|hold|same lock|again
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t table_lock = PTHREAD_RWLOCK_INITIALIZER;
static struct {
  int next_hop;
  int users;
} routes[2] = {{1, 0}, {2, 0}};
static int best = 0;

static int lookup(void) {
  pthread_rwlock_rdlock(&table_lock);
  int found = best;
  pthread_rwlock_unlock(&table_lock);
  return found;
}

static void* connect_one(void* arg) {
  (void)arg;
  int route = lookup();  // BUG
  pthread_rwlock_wrlock(&table_lock);
  assert(routes[route].next_hop != 0);
  routes[route].users++;
  pthread_rwlock_unlock(&table_lock);
  return NULL;
}

static void* withdraw(void* arg) {
  (void)arg;
  pthread_rwlock_wrlock(&table_lock);
  best = 1;
  routes[0].next_hop = 0;
  pthread_rwlock_unlock(&table_lock);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, connect_one, NULL);
  pthread_create(&b, NULL, withdraw, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
