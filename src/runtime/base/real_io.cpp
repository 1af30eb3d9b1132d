#include "runtime/base/real_io.h"

#include <dlfcn.h>
#include <errno.h>

namespace heddle::rt {

RealIo g_real_io;
bool g_real_io_ready;

void resolve_real_io() {
#define HEDDLE_RESOLVE(name) g_real_io.name = reinterpret_cast<decltype(&::name)>(dlsym(RTLD_NEXT, #name));
  HEDDLE_REAL_IO(HEDDLE_RESOLVE)
#undef HEDDLE_RESOLVE
  g_real_io_ready = true;
}

void* find_next(const char* name) { return dlsym(RTLD_NEXT, name); }

long with_errno(long result) {
  if (result >= 0 || result < -4095) return result;
  errno = static_cast<int>(-result);
  return -1;
}

}  // namespace heddle::rt
