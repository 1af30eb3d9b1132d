// A value goes from main through two threads, a copy as text and a third thread to an assertion; another thread has nothing to do with it.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int source, middle, checked, noise;
static char copied[16];
static volatile struct { int first, second; } pair;

static void* first(void* p) {
  pthread_mutex_lock(&lock);
  source = *(int*)p + 5;  // source
  pthread_mutex_unlock(&lock);
  return 0;
}

static void* second(void* p) {
  char text[16];
  (void)p;
  pthread_mutex_lock(&lock);
  snprintf(text, sizeof text, "%d", source);  // text
  strcpy(copied, text);                       // copied
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
  if (copied[0] == '1')   // decides
    middle = source * 2;  // middle
  pthread_mutex_unlock(&lock);
  return 0;
}

static void* busy(void* p) {
  (void)p;
  for (int i = 0; i < 3; i++) {
    pthread_mutex_lock(&lock);
    noise += i + 1;  // noise
    pair.second = noise;
    pthread_mutex_unlock(&lock);
  }
  return 0;
}

static void* third(void* p) {
  (void)p;
  pthread_mutex_lock(&lock);
  checked = middle;  // checked
  pthread_mutex_unlock(&lock);
  assert(checked != 30);  // fails
  return 0;
}

int main(void) {
  pthread_t t[4];
  int ten = 10;  // ten
  pthread_create(&t[0], 0, busy, 0);
  pthread_create(&t[1], 0, first, &ten);
  pthread_create(&t[2], 0, second, 0);
  pthread_create(&t[3], 0, third, 0);
  for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
  return 0;
}
