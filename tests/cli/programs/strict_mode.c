// Enters the strict mode of seccomp after its threads have ended.
#include <linux/seccomp.h>
#include <pthread.h>
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
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, w, 0);
  pthread_create(&b, 0, w, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
  write(1, "ok\n", 3);
  syscall(SYS_exit, 0);
  return 0;
}
