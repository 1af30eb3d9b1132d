// A buffer is changed while write(2) may be reading it.
#include <fcntl.h>
#include <unistd.h>

#include "../two.h"

char buffer[8] = "abcdefg";
static int sink;

static void one(void) { (void)!write(sink, buffer, sizeof buffer); }
static void two(void) { buffer[3] = 'x'; }

int main(void) {
  sink = open("/dev/null", O_WRONLY);
  run_both(one, two);
  return 0;
}
