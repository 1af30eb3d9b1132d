#include "runtime/real.h"

#include <dlfcn.h>

namespace heddle::rt {

Real g_real;
bool g_real_ready;

void resolve_real() {
#define HEDDLE_RESOLVE(name, result, parameters) g_real.name = reinterpret_cast<result(*) parameters>(dlsym(RTLD_NEXT, #name));
  HEDDLE_REAL_FUNCTIONS(HEDDLE_RESOLVE)
#undef HEDDLE_RESOLVE
  g_real.call_tls_dtors = reinterpret_cast<void (*)()>(dlvsym(RTLD_DEFAULT, "__call_tls_dtors", "GLIBC_PRIVATE"));
  // libthread_db's own description of the descriptor: {bits, elements, offset}. 720 is glibc 2.36 on x86-64.
  const auto* description = static_cast<const uint32_t*>(dlvsym(RTLD_DEFAULT, "_thread_db_pthread_tid", "GLIBC_PRIVATE"));
  g_real.tid_offset = description != nullptr ? description[2] : 720;
  g_real_ready = true;
}

}  // namespace heddle::rt
