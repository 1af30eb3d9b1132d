// An allocator locks everything before a fork and makes its locks anew in the child: the child is on its own.
// heddle: expect=none runs<=20
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOCKS 8
static pthread_mutex_t locks[LOCKS];
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static void prepare(void) {
  for (int i = 0; i < LOCKS; ++i) pthread_mutex_lock(&locks[i]);
}
static void release(void) {
  for (int i = LOCKS; i-- > 0;) pthread_mutex_unlock(&locks[i]);
}
static void renew(void) {
  for (int i = 0; i < LOCKS; ++i) {
    if (pthread_mutex_init(&locks[i], NULL) != 0) _exit(2);
    pthread_mutex_lock(&locks[i]);
    pthread_mutex_unlock(&locks[i]);
  }
  pthread_cond_broadcast(&condition);
}
// Before the constructors of all libraries, as an allocator starts that the first of them needs.
static void start(void) { pthread_atfork(prepare, release, renew); }
__attribute__((section(".preinit_array"), used)) static void (*const first)(void) = start;

static void* busy(void* unused) {
  for (int i = 0; i < LOCKS; ++i) {
    pthread_mutex_lock(&locks[i]);
    pthread_mutex_unlock(&locks[i]);
  }
  return unused;
}

static void* forks(void* result) {
  int status = -1;
  const pid_t child = fork();
  if (child == 0) {
    busy(NULL);
    exit(7);
  }
  if (waitpid(child, &status, 0) == child && WIFEXITED(status)) *(int*)result = WEXITSTATUS(status);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  int result = 0;
  pthread_create(&a, NULL, busy, NULL);
  pthread_create(&b, NULL, forks, &result);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return result == 7 ? 0 : 1;
}
