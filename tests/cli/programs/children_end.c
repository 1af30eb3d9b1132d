// Children end one after the other while their parent computes and locks: where their signals come decides what it prints.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static volatile sig_atomic_t signals;

static void on_child(int number) {
  (void)number;
  ++signals;
}

static void* sleeps(void* unused) {
  usleep(1000);
  return unused;
}

int main(void) {
  pthread_t thread;
  struct sigaction action = {.sa_handler = on_child, .sa_flags = SA_RESTART};
  sigaction(SIGCHLD, &action, 0);
  pthread_create(&thread, 0, sleeps, 0);
  for (int i = 1; i <= 4; ++i) {
    if (fork() == 0) {
      const struct timespec pause = {0, i * 3000000};
      nanosleep(&pause, 0);
      _exit(i);
    }
    long rounds = 0;
    for (; signals < i; ++rounds) {
      pthread_mutex_lock(&m);
      pthread_mutex_unlock(&m);
    }
    int status = 0;
    while (waitpid(-1, &status, WNOHANG) <= 0) usleep(100);
    printf("child %d after %ld rounds\n", WEXITSTATUS(status), rounds);
  }
  pthread_join(thread, 0);
  return 3;
}
