// Another file is put in place of one that a thread reads: the number names an open file all the time.
#include <fcntl.h>
#include <unistd.h>

#include "../two.h"

static int fd, other;

static void reads(void) {
  char byte;
  if (read(fd, &byte, 1) != 1) exit(2);
}
static void replaces(void) {
  if (dup2(other, fd) != fd) exit(3);
}

int main(void) {
  fd = open("/dev/zero", O_RDONLY);
  other = open("/dev/zero", O_RDONLY);
  if (fd < 0 || other < 0) exit(1);
  run_both(reads, replaces);
  return close(fd) + close(other);
}
