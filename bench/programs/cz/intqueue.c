// A queue of small integers linked by their own values, whose author locked only the two statements
// that touch the link table. Thread A enqueues 11, B dequeues, C enqueues 95; whatever the order, each
// number must in the end have been taken or still be in the queue, once.
// Stands for: IntQueue, the worked example of Choi & Zeller 2002, section 2, Figs. 2-6.
// Ours differs: C; the wrong outcome is asserted instead of looked at; an empty queue gives 0.
// heddle-kernel: family=intqueue kind=assert granularity=access optimum=1 class=race paper=choi-zeller row=intqueue
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { kElements = 100 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int link_of[kElements];  // link_of[n] is n's successor; 0 is none
static int head, tail;
static int taken;

static void synchronized_begin(void) { pthread_mutex_lock(&lock); }
static void synchronized_end(void) { pthread_mutex_unlock(&lock); }

// In the fixed twin the methods are synchronized as a whole, in the other only single statements.
#ifdef FIXED
#define METHOD_BEGIN synchronized_begin();
#define METHOD_END synchronized_end();
#define STATEMENT(s) s
#else
#define METHOD_BEGIN
#define METHOD_END
#define STATEMENT(s)    \
  synchronized_begin(); \
  s;                    \
  synchronized_end()
#endif

static void enqueue(int elem) {
  METHOD_BEGIN
  link_of[elem] = 0;
  if (head == 0) {
    head = elem;
  } else {
    STATEMENT(link_of[tail] = elem);  // BUG
  }
  tail = elem;
  METHOD_END
}

static int dequeue(void) {
  METHOD_BEGIN
  int elem = head;
  if (elem == tail) tail = 0;
  STATEMENT(head = link_of[head]);
  METHOD_END
  return elem;
}

static void* thread_a(void* arg) {
  (void)arg;
  enqueue(11);
  return NULL;
}

static void* thread_b(void* arg) {
  (void)arg;
  taken = dequeue();
  return NULL;
}

static void* thread_c(void* arg) {
  (void)arg;
  enqueue(95);
  return NULL;
}

static int times(int elem) {
  int n = taken == elem;
  for (int e = head, steps = 0; e != 0 && steps < kElements; e = link_of[e], steps++) n += e == elem;
  return n;
}

int main(void) {
  pthread_t a, b, c;
  pthread_create(&a, NULL, thread_a, NULL);
  pthread_create(&b, NULL, thread_b, NULL);
  pthread_create(&c, NULL, thread_c, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  pthread_join(c, NULL);
  assert(times(11) == 1 && times(95) == 1);
  return 0;
}
