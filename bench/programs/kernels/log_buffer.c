// Two request threads append their line to a shared log buffer: the end is read, the text stored and
// the end moved without a lock, and one line overwrites the other.
// Stands for: Apache httpd bug 25520 (buffered log writer), "Apache" row of several suites.
// Ours differs: lines of three bytes, checked whole at the end.
// heddle-kernel: family=log_buffer kind=assert granularity=access optimum=1 class=race
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { kLine = 3, kLines = 2 };

static atomic_int end;
static _Atomic char buffer[kLine * kLines];
#ifdef FIXED
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#endif

static void* request(void* arg) {
  char mine = *(char*)arg;
#ifdef FIXED
  pthread_mutex_lock(&lock);
#endif
  int at = atomic_load(&end);
  for (int i = 0; i < kLine; i++) atomic_store(&buffer[at + i], mine);
  atomic_store(&end, at + kLine);  // BUG
#ifdef FIXED
  pthread_mutex_unlock(&lock);
#endif
  return NULL;
}

int main(void) {
  pthread_t a, b;
  char name[2] = {'a', 'b'};
  pthread_create(&a, NULL, request, &name[0]);
  pthread_create(&b, NULL, request, &name[1]);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(atomic_load(&end) == kLine * kLines);
  for (int line = 0; line < kLines; line++)
    for (int i = 1; i < kLine; i++) assert(atomic_load(&buffer[line * kLine + i]) == atomic_load(&buffer[line * kLine]));
  return 0;
}
