// tee and vmsplice wait for room in a pipe, and for something in it, without stopping the threads that they wait for.
// heddle: expect=none runs<=20
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

enum { kBytes = 100000 };
static char bytes[kBytes];
static int from[2], to[2];

#define CHECK(condition)       \
  do {                         \
    if (!(condition)) abort(); \
  } while (0)

static void* gives(void* unused) {
  for (size_t done = 0; done < kBytes;) {
    const struct iovec piece = {bytes + done, kBytes - done};
    const ssize_t n = vmsplice(from[1], &piece, 1, 0);
    CHECK(n > 0);
    done += (size_t)n;
  }
  close(from[1]);
  return unused;
}

static void* copies(void* unused) {
  const int nowhere = open("/dev/null", O_WRONLY);
  for (;;) {
    const ssize_t n = tee(from[0], to[1], kBytes, 0);
    CHECK(n >= 0);
    if (n == 0) break;
    for (ssize_t gone = 0; gone < n;) {
      const ssize_t some = splice(from[0], NULL, nowhere, NULL, (size_t)(n - gone), 0);
      CHECK(some > 0);
      gone += some;
    }
  }
  close(to[1]);
  return unused;
}

int main(void) {
  for (int i = 0; i < kBytes; ++i) bytes[i] = (char)(i * 7);
  CHECK(pipe(from) == 0 && pipe(to) == 0);
  pthread_t giver, copier;
  pthread_create(&copier, NULL, copies, NULL);
  pthread_create(&giver, NULL, gives, NULL);
  static char block[9000];
  int total = 0;
  for (ssize_t n; (n = read(to[0], block, sizeof block)) != 0; total += (int)n) {
    CHECK(n > 0);
    for (ssize_t i = 0; i < n; ++i) CHECK(block[i] == (char)((total + i) * 7));
  }
  pthread_join(giver, NULL);
  pthread_join(copier, NULL);
  return total == kBytes ? 0 : 1;
}
