// Two threads produce, two consume, through a condition, a pipe, an event and a file, for so many rounds; then it fails. It prints what time it is from time to time.
// With a third word its beginning hangs on what nobody records: the kernel's clock, asked without the library.
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int queue, done, pipe_ends[2], event, file;
static unsigned long sum;
static __thread int mine;

static void now_and_then(int i) {
  if (i % 100 == 0) {
    const char x = (char)i;
    assert(write(pipe_ends[1], &x, 1) == 1);
  }
  if (i % 1000 == 0) {
    const unsigned long one = 1;
    char* block = malloc(5000);
    memset(block, i, 5000);
    assert(write(event, &one, sizeof one) == sizeof one);
    assert(write(file, block, 50) == 50);
    pthread_mutex_lock(&m);
    sum += (unsigned char)block[77] + (unsigned long)lseek(file, 0, SEEK_CUR);
    pthread_mutex_unlock(&m);
    free(block);
    usleep(100);
  }
  if (i % 5000 == 0) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    printf("at %d, %ld.%09ld\n", i, (long)now.tv_sec, now.tv_nsec);
  }
}

static void* produce(void* rounds) {
  for (int i = 0; i < (int)(long)rounds; ++i) {
    pthread_mutex_lock(&m);
    ++queue;
    ++mine;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&m);
    now_and_then(i);
  }
  pthread_mutex_lock(&m);
  ++done;
  pthread_cond_broadcast(&filled);
  pthread_mutex_unlock(&m);
  return NULL;
}

static void* consume(void* unused) {
  (void)unused;
  for (;;) {
    pthread_mutex_lock(&m);
    while (queue == 0 && done < 2) pthread_cond_wait(&filled, &m);
    if (queue == 0) {
      pthread_mutex_unlock(&m);
      return NULL;
    }
    --queue;
    sum = sum * 31 + (unsigned long)++mine;
    pthread_mutex_unlock(&m);
    char x = 0;
    unsigned long count = 0;
    if (mine % 300 == 0) assert(read(pipe_ends[0], &x, 1) == 1);
    if (mine % 3000 == 0) assert(read(event, &count, sizeof count) == sizeof count);
    pthread_mutex_lock(&m);
    sum += (unsigned char)x + count;
    pthread_mutex_unlock(&m);
  }
}

static void sleep_for_some_time(void) {
  struct timespec span = {0, 0};
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(228), "D"(CLOCK_MONOTONIC), "S"(&span) : "rcx", "r11", "memory");
  span.tv_sec = 0;
  span.tv_nsec %= 1000000;
  nanosleep(&span, NULL);
}

int main(int count, char** words) {
  pthread_t threads[4];
  if (count < 3 || pipe(pipe_ends) != 0 || (event = eventfd(0, EFD_SEMAPHORE)) < 0) return 9;
  file = open(words[2], O_RDWR | O_CREAT | O_TRUNC, 0600);
  if (count > 3) sleep_for_some_time();
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, produce, (void*)atol(words[1]));
  for (int i = 2; i < 4; ++i) pthread_create(&threads[i], NULL, consume, NULL);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  printf("sum %lu\n", sum);
  return 3;
}
