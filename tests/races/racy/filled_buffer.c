// Two threads read(2) into the same buffer.
#include <fcntl.h>
#include <unistd.h>

#include "../two.h"

char buffer[8];
static int source;

static void one(void) { (void)!read(source, buffer, sizeof buffer); }

int main(void) {
  source = open("/dev/zero", O_RDONLY);
  run_both(one, one);
  return 0;
}
