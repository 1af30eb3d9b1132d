// verify: fixed
// Looks again where it writes.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

struct sink {
  int open;
  char text[64];
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct sink log_file = {1, ""};

static int is_open(void) {
  pthread_mutex_lock(&lock);
  const int yes = log_file.open;
  pthread_mutex_unlock(&lock);
  return yes;
}

static void append(const char* line) {
  pthread_mutex_lock(&lock);
  if (log_file.open) {
    assert(log_file.open);
    strncat(log_file.text, line, 20);
  }
  pthread_mutex_unlock(&lock);
}

static void* writer(void* arg) {
  if (is_open()) append(arg);
  return NULL;
}

static void* rotate(void* arg) {
  (void)arg;
  pthread_mutex_lock(&lock);
  log_file.open = 0;
  log_file.text[0] = 0;
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t a, b, c;
  pthread_create(&a, NULL, writer, "one\n");
  pthread_create(&b, NULL, rotate, NULL);
  pthread_create(&c, NULL, writer, "two\n");
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  pthread_join(c, NULL);
  return 0;
}
