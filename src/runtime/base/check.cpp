#include "runtime/base/check.h"

#include <stdio.h>

#include "runtime/base/sys.h"

namespace heddle::rt {

void say(const char* text) {
  char line[1200];
  const int n = snprintf(line, sizeof line, "heddle: %s\n", text);
  sys(SYS_write, 2, line, n);
}

}  // namespace heddle::rt
