// Two threads draw the same number: read and write back in two critical sections.
// heddle-bug: kind=assert granularity=sync class=atomicity set=held
// fix: (one|same) (critical section|lock)|hold
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static int next_ticket, drawn[4];

static void* guest(void* arg) {
  (void)arg;
  pthread_mutex_lock(&gate);
  int mine = next_ticket;
  pthread_mutex_unlock(&gate);
  pthread_mutex_lock(&gate);  // BUG
  next_ticket = mine + 1;
  drawn[mine]++;
  assert(drawn[mine] == 1);
  pthread_mutex_unlock(&gate);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, guest, NULL);
  pthread_create(&b, NULL, guest, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
