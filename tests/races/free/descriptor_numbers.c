// Two threads open and close files of their own: the numbers are used again, the descriptors are not shared.
#include <fcntl.h>
#include <unistd.h>

#include "../two.h"

static void one(void) {
  for (int i = 0; i < 3; ++i) {
    int ends[2];
    char byte = 1;
    if (pipe(ends) != 0) exit(1);
    if (write(ends[1], &byte, 1) != 1 || read(ends[0], &byte, 1) != 1) exit(2);
    close(ends[0]);
    close(ends[1]);
  }
}

int main(void) {
  run_both(one, one);
  return 0;
}
