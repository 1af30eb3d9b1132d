// The waiter frees the request as soon as it is done; the worker still has something to say about it.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct request {
  pthread_mutex_t mutex;
  pthread_cond_t finished;
  int done;
  int answer;
  int logged;
};

static void* worker(void* given) {
  struct request* request = given;
  pthread_mutex_lock(&request->mutex);
  request->answer = 42;
  request->done = 1;
  pthread_cond_signal(&request->finished);
  pthread_mutex_unlock(&request->mutex);
  request->logged = 1;
  return NULL;
}

int main(void) {
  pthread_t thread;
  struct request* request = calloc(1, sizeof *request);
  pthread_mutex_init(&request->mutex, NULL);
  pthread_cond_init(&request->finished, NULL);
  pthread_create(&thread, NULL, worker, request);
  pthread_mutex_lock(&request->mutex);
  while (!request->done) pthread_cond_wait(&request->finished, &request->mutex);
  printf("%d\n", request->answer);
  pthread_mutex_unlock(&request->mutex);
  pthread_cond_destroy(&request->finished);
  pthread_mutex_destroy(&request->mutex);
  free(request);
  pthread_join(thread, NULL);
  return 0;
}
