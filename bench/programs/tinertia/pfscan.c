// A parallel file scanner: main queues the files, eight workers take them off the queue and count a
// word in them. The queue's head is advanced under the worker's own lock instead of the queue's, so two
// workers can take the same slot, and the second finds it already emptied.
// Stands for: row "pfscan" of Tinertia Tables 1-3 (segmentation fault, 9 threads; Inspect suite).
// Ours differs: written anew; the files are texts in memory; matches are summed up and checked.
// heddle-kernel: family=pfscan kind=signal granularity=sync optimum=1 class=race paper=tinertia row=pfscan
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <string.h>

enum { kWorkers = 8, kFiles = 16 };

struct file {
  const char* text;
};

struct worker {
  pthread_mutex_t lock;
  int bytes;
};

static struct file files[kFiles];
static _Atomic(struct file*) slots[kFiles];
static atomic_int head;
static sem_t queued, nearly_empty;
static pthread_mutex_t total_lock = PTHREAD_MUTEX_INITIALIZER;
static int total;
#ifdef FIXED
static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
#endif

static int count_word(const char* text, const char* word) {
  int found = 0;
  for (const char* at = strstr(text, word); at; at = strstr(at + 1, word)) found++;
  return found;
}

static struct file* take(struct worker* w) {
  if (sem_trywait(&queued) != 0) return NULL;
#ifdef FIXED
  (void)w;
  pthread_mutex_t* lock = &queue_lock;
#else
  pthread_mutex_t* lock = &w->lock;  // BUG
#endif
  pthread_mutex_lock(lock);
  int at = atomic_load(&head);
  if (at >= kFiles - 3) sem_post(&nearly_empty);
  struct file* f = atomic_exchange(&slots[at], NULL);
  atomic_store(&head, at + 1);
  pthread_mutex_unlock(lock);
  w->bytes += (int)strlen(f->text);
  return f;
}

static void* scan(void* arg) {
  struct worker* w = arg;
  for (struct file* f = take(w); f; f = take(w)) {
    int found = count_word(f->text, "need");
    if (found == 0) continue;
    pthread_mutex_lock(&total_lock);
    total += found;
    pthread_mutex_unlock(&total_lock);
  }
  return NULL;
}

int main(void) {
  static const char* const kTexts[] = {"a needle", "hay", "needs and needles", "no", "kneeding need"};
  static struct worker workers[kWorkers];
  pthread_t t[kWorkers];
  int expected = 0;
  sem_init(&queued, 0, 0);
  sem_init(&nearly_empty, 0, 0);
  for (int i = 0; i < kFiles; i++) {
    files[i].text = kTexts[i % 5];
    expected += count_word(files[i].text, "need");
    atomic_store(&slots[i], &files[i]);
    sem_post(&queued);
  }
  for (int i = 0; i < kWorkers; i++) {
    pthread_mutex_init(&workers[i].lock, NULL);
    pthread_create(&t[i], NULL, scan, &workers[i]);
  }
  for (int i = 0; i < kWorkers; i++) pthread_join(t[i], NULL);
  assert(total == expected);
  return 0;
}
