// Real-time signals are queued with their values, the lowest first; the older calls for masks and actions are seen.
// heddle: expect=none runs<=10 options=-D_GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static int got[16], count;
static volatile sig_atomic_t poked;
static void on_value(int number, siginfo_t* info, void* context) {
  (void)context;
  if (count < 16) got[count++] = (number - SIGRTMIN) * 100 + info->si_value.sival_int;
}
static void on_poke(int number) {
  (void)number;
  ++poked;
}

static int same(const int* wanted, int n) {
  const int equal = count == n && memcmp(got, wanted, (size_t)n * sizeof *wanted) == 0;
  count = 0;
  return equal;
}

static void* work(void* unused) {
  sigset_t set, empty;
  siginfo_t info;
  sigemptyset(&empty);
  sigemptyset(&set);
  sigaddset(&set, SIGRTMIN);
  sigaddset(&set, SIGRTMIN + 2);
  const int wanted[] = {1, 2, 3, 204, 205};
  // To the process, taken by handlers; and to the thread, taken one by one.
  for (int i = 4; i <= 5; ++i) sigqueue(getpid(), SIGRTMIN + 2, (union sigval){.sival_int = i});
  for (int i = 1; i <= 3; ++i) sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = i});
  pthread_sigmask(SIG_SETMASK, &empty, NULL);
  if (!same(wanted, 5)) return (void*)1;
  pthread_sigmask(SIG_SETMASK, &set, NULL);
  for (int i = 4; i <= 5; ++i) pthread_sigqueue(pthread_self(), SIGRTMIN + 2, (union sigval){.sival_int = i});
  for (int i = 1; i <= 3; ++i) pthread_sigqueue(pthread_self(), SIGRTMIN, (union sigval){.sival_int = i});
  for (int i = 0; i < 5; ++i) {
    if (sigwaitinfo(&set, &info) < 0) return (void*)2;
    on_value(info.si_signo, &info, NULL);
  }
  if (!same(wanted, 5) || sigtimedwait(&set, &info, &(struct timespec){0, 0}) != -1) return (void*)3;
  return unused;
}

static int older_calls(void) {
  if (sigset(SIGUSR1, on_poke) != SIG_DFL || sighold(SIGUSR1) != 0) return 11;
  raise(SIGUSR1);
  if (poked != 0 || sigset(SIGUSR1, SIG_HOLD) != SIG_HOLD) return 12;
  if (sigpause(SIGUSR1) != -1 || errno != EINTR || poked != 1) return 13;
  raise(SIGUSR1);
  if (poked != 1 || sigrelse(SIGUSR1) != 0 || poked != 2) return 14;
  if (sighold(SIGUSR1) != 0 || raise(SIGUSR1) != 0 || sigignore(SIGUSR1) != 0 || sigset(SIGUSR1, on_poke) != SIG_HOLD) return 15;
  return poked == 2 && sighold(100) == -1 && errno == EINVAL ? 0 : 16;
}

static void* mask_of_its_own(void* number) {
  sigset_t set;
  pthread_sigmask(SIG_BLOCK, NULL, &set);
  return (void*)(long)sigismember(&set, *(int*)number);
}

int main(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = on_value;
  action.sa_flags = SA_SIGINFO;
  sigset_t blocked;
  sigemptyset(&blocked);
  for (int i = 0; i < 3; ++i) {
    sigaction(SIGRTMIN + i, &action, NULL);
    sigaddset(&action.sa_mask, SIGRTMIN + i);
    sigaddset(&blocked, SIGRTMIN + i);
  }
  pthread_sigmask(SIG_BLOCK, &blocked, NULL);
  pthread_t thread;
  void* result = NULL;
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, &result);
  if (result != NULL) return (int)(long)result;

  pthread_attr_t attributes;
  sigset_t set;
  int number = SIGUSR2;
  pthread_attr_init(&attributes);
  sigemptyset(&set);
  sigaddset(&set, number);
  pthread_attr_setsigmask_np(&attributes, &set);
  pthread_create(&thread, &attributes, mask_of_its_own, &number);
  if (pthread_timedjoin_np(thread, &result, NULL) != 0 || result != (void*)1) return 20;
  return older_calls();
}
