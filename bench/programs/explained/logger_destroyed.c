// main destroys the logger's lock and buffer while a detached worker still logs.
// heddle-bug: kind=signal,abort,assert,misuse granularity=sync class=uaf,order set=held
// fix: wait|join|before|until
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct logger {
  pthread_mutex_t lock;
  char* buffer;
  int length;
};
static struct logger out;

static void say(const char* text) {
  pthread_mutex_lock(&out.lock);
  assert(out.buffer != NULL);  // BUG
  strcpy(out.buffer + out.length, text);
  out.length += (int)strlen(text);
  pthread_mutex_unlock(&out.lock);
}

static void* worker(void* unused) {
  say("a");
  say("b");
  return unused;
}

int main(void) {
  pthread_mutex_init(&out.lock, NULL);
  out.buffer = calloc(1, 64);
  pthread_t t;
  pthread_create(&t, NULL, worker, NULL);
  pthread_detach(t);
  say("main");
  pthread_mutex_lock(&out.lock);
  free(out.buffer);
  out.buffer = NULL;  // FIX
  pthread_mutex_unlock(&out.lock);
  pthread_exit(NULL);
}
