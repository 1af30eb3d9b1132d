// A filter of the program's own: with an argument it lets pass all that Heddle needs, without one it forbids futex.
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
static int n;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void* w(void* u) {
  pthread_mutex_lock(&m);
  n++;
  pthread_mutex_unlock(&m);
  return u;
}
int main(int c, char** v) {
  struct sock_filter deny[] = {
      {0x20, 0, 0, 0}, {0x15, 1, 0, SYS_futex}, {0x6, 0, 0, SECCOMP_RET_ALLOW}, {0x6, 0, 0, SECCOMP_RET_KILL_PROCESS}};
  struct sock_filter fine[] = {
      {0x20, 0, 0, 0}, {0x15, 1, 0, SYS_ptrace}, {0x6, 0, 0, SECCOMP_RET_ALLOW}, {0x6, 0, 0, SECCOMP_RET_KILL_PROCESS}};
  struct sock_fprog p = {4, c > 1 ? fine : deny};
  pthread_t a, b;
  pthread_create(&a, 0, w, 0);
  pthread_create(&b, 0, w, 0);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p)) return 3;
  pthread_join(a, 0);
  pthread_join(b, 0);
  return n != 2;
}
