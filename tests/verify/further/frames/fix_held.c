// verify: fixed
// The front buffer is chosen under the lock and read after it.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define SIZE 4
static pthread_mutex_t swap = PTHREAD_MUTEX_INITIALIZER;
static int buffers[2][SIZE];
static int front;

static void fill(int* buffer, int value) {
  for (int i = 0; i < SIZE; ++i) buffer[i] = value;
}

static void* producer(void* unused) {
  (void)unused;
  for (int frame = 1; frame <= 3; ++frame) {
    pthread_mutex_lock(&swap);
    const int back = !front;
    fill(buffers[back], frame);
    front = back;
    pthread_mutex_unlock(&swap);
  }
  return NULL;
}

static void show(const int* buffer) {
  const int first = buffer[0];
  for (int i = 1; i < SIZE; ++i) {
    if (buffer[i] != first) {
      fprintf(stderr, "torn frame: %d and %d\n", first, buffer[i]);
      abort();
    }
  }
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, producer, NULL);
  for (int i = 0; i < 2; ++i) {
    pthread_mutex_lock(&swap);
    show(buffers[front]);
    pthread_mutex_unlock(&swap);
  }
  pthread_join(thread, NULL);
  return 0;
}
