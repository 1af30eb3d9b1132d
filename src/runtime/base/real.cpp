#include "runtime/base/real.h"

#include <dlfcn.h>
#include <linux/futex.h>

#include "runtime/base/check.h"
#include "runtime/base/sys.h"

// The slots of libc_calls.S.
extern "C" {
#define HEDDLE_LIBC(name)
#define HEDDLE_LIBC_TEXT(name) extern __attribute__((visibility("hidden"))) void* heddle_slot_##name;
#include "runtime/base/libc_calls.def"
#undef HEDDLE_LIBC_TEXT
__attribute__((visibility("hidden"))) void* heddle_bind_libc(const char* name, void** slot);
}

namespace heddle::rt {

namespace {

// At once: a first call may come where nothing can be looked up, in a handler or under the loader's lock.
void bind_text_functions() {
#define HEDDLE_LIBC_TEXT(name) heddle_bind_libc(#name, &heddle_slot_##name);
#include "runtime/base/libc_calls.def"
#undef HEDDLE_LIBC_TEXT
#undef HEDDLE_LIBC
}

}  // namespace

Real g_real;
bool g_real_ready;

void resolve_real() {
  bind_text_functions();
#define HEDDLE_RESOLVE(name, result, parameters) g_real.name = reinterpret_cast<result(*) parameters>(dlsym(RTLD_NEXT, #name));
  HEDDLE_REAL_FUNCTIONS(HEDDLE_RESOLVE)
#undef HEDDLE_RESOLVE
  g_real.call_tls_dtors = reinterpret_cast<void (*)()>(dlvsym(RTLD_DEFAULT, "__call_tls_dtors", "GLIBC_PRIVATE"));
  // libthread_db's own description of the descriptor: {bits, elements, offset}. 720 is glibc 2.36 on x86-64.
  const auto* description = static_cast<const uint32_t*>(dlvsym(RTLD_DEFAULT, "_thread_db_pthread_tid", "GLIBC_PRIVATE"));
  g_real.tid_offset = description != nullptr ? description[2] : 720;
  // Before the first thread: whoever comes here is the thread that the kernel takes it for.
  const robust_list_head* robust = nullptr;
  size_t size = 0;
  if (sys(SYS_get_robust_list, 0, &robust, &size) == 0 && robust != nullptr)
    g_real.robust_offset = reinterpret_cast<uintptr_t>(robust) - static_cast<uintptr_t>(pthread_self());
  g_real_ready = true;
}

}  // namespace heddle::rt

// For libc_calls.S.
extern "C" __attribute__((visibility("hidden"))) void* heddle_bind_libc(const char* name, void** slot) {
  *slot = dlsym(RTLD_NEXT, name);
  HEDDLE_CHECK(*slot != nullptr);
  return *slot;
}
