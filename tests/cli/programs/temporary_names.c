// Temporary files and directories, some of which are left.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static void* make(void* leave) {
  char plain[] = "name-XXXXXX", ends[] = "nameXXXXXX.txt", directory[] = "nameXXXXXX", none[] = "name";
  const int a = mkostemp(plain, O_CLOEXEC), b = mkstemps(ends, 4);
  if (a < 0 || b < 0 || mkdtemp(directory) == NULL || mkstemp(none) >= 0 || errno != EINVAL) abort();
  printf("%s %s %s\n", plain, ends, directory);
  if (write(a, "x", 1) != 1 || fcntl(a, F_GETFD) != FD_CLOEXEC) abort();
  close(a);
  close(b);
  if (leave == NULL) unlink(plain), unlink(ends), rmdir(directory);
  return NULL;
}
int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, make, i == 0 ? NULL : threads);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 5;
}
