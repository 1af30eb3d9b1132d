// A thread forks; the child is an ordinary process again: it starts threads, locks, sleeps, signals itself and execs, all on its own.
// heddle: expect=none runs<=20
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int ready, prepared;
static volatile sig_atomic_t poked;

static void on_poke(int number) {
  (void)number;
  poked = 1;
}
static void prepare(void) { pthread_mutex_lock(&mutex); }
static void release(void) {
  ++prepared;
  pthread_mutex_unlock(&mutex);
}

static void* grandchild(void* unused) {
  (void)unused;
  usleep(100);
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);
  return NULL;
}

static int in_child(void) {
  pthread_t thread;
  if (prepared != 1 || pthread_create(&thread, NULL, grandchild, NULL) != 0) return 3;
  pthread_mutex_lock(&mutex);
  while (!ready) pthread_cond_wait(&condition, &mutex);
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);
  signal(SIGUSR1, on_poke);
  kill(getpid(), SIGUSR1);
  if (!poked) return 4;
  execl("/bin/sh", "sh", "-c", "exit 5", (char*)NULL);
  return 6;
}

static void* forks(void* result) {
  const pid_t child = fork();
  if (child == 0) _exit(in_child());
  int status = 0;
  if (waitpid(child, &status, 0) == child && WIFEXITED(status)) *(int*)result = WEXITSTATUS(status);
  return NULL;
}

static void* busy(void* unused) {
  (void)unused;
  for (int i = 0; i < 5; ++i) {
    pthread_mutex_lock(&mutex);
    usleep(10);
    pthread_mutex_unlock(&mutex);
  }
  return NULL;
}

int main(void) {
  pthread_atfork(prepare, release, release);
  int result = 0;
  pthread_t a, b;
  pthread_create(&a, NULL, busy, NULL);
  pthread_create(&b, NULL, forks, &result);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return result == 5 && prepared == 1 ? 0 : result + 10;
}
