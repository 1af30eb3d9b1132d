// Processors. The tool pins a run to one core, which is no business of the program: it goes on seeing those it was started with, or it
// would make other decisions (how many workers to start) in a search than natively.
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "runtime/base/real.h"
#include "runtime/base/real_io.h"
#include "runtime/base/sys.h"
#include "runtime/engine/run.h"

namespace heddle::rt {

namespace {

cpu_set_t g_mask;   // one for the whole program: threads that bind themselves to cores are not moved by it
cpu_set_t g_first;  // that the program was started with: what lies outside is not there
long g_mask_bytes;  // as the kernel counts them; 0 if it would not say

// Before main, and before the tool has pinned anything.
__attribute__((constructor)) void remember_mask() {
  g_mask_bytes = sys(SYS_sched_getaffinity, 0, sizeof g_mask, &g_mask);
  g_first = g_mask;
}

bool ours() { return active() && g_mask_bytes > 0; }

int read_mask(size_t size, cpu_set_t* set) {
  if (size < static_cast<size_t>(g_mask_bytes)) return EINVAL;
  memset(set, 0, size);
  memcpy(set, &g_mask, size < sizeof g_mask ? size : sizeof g_mask);
  return 0;
}

int write_mask(size_t size, const cpu_set_t* set) {
  cpu_set_t wanted;
  CPU_ZERO(&wanted);
  memcpy(&wanted, set, size < sizeof wanted ? size : sizeof wanted);
  CPU_AND(&wanted, &wanted, &g_first);
  if (CPU_COUNT(&wanted) == 0) return EINVAL;
  memcpy(&g_mask, &wanted, sizeof g_mask);
  return 0;
}

int with_error(int error) {
  if (error == 0) return 0;
  errno = error;
  return -1;
}

}  // namespace

}  // namespace heddle::rt

using namespace heddle;
using namespace heddle::rt;

// Any process number: the program knows its own and its threads', and asks for no others.
HEDDLE_EXPORT int sched_getaffinity(pid_t pid, size_t size, cpu_set_t* set) noexcept {
  if (ours()) return with_error(read_mask(size, set));
  const long n = sys(SYS_sched_getaffinity, pid, size, set);
  if (n < 0) return with_error(static_cast<int>(-n));
  if (static_cast<size_t>(n) < size) memset(reinterpret_cast<char*>(set) + n, 0, size - static_cast<size_t>(n));
  return 0;
}

HEDDLE_EXPORT int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t* set) noexcept {
  if (ours()) return with_error(write_mask(size, set));
  return with_error(static_cast<int>(-sys(SYS_sched_setaffinity, pid, size, set)));
}

HEDDLE_EXPORT int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t* set) noexcept {
  static decltype(&::pthread_getaffinity_np) library;
  if (ours()) return read_mask(size, set);
  if (library == nullptr) library = next_symbol<decltype(&::pthread_getaffinity_np)>("pthread_getaffinity_np");
  return library(thread, size, set);
}

HEDDLE_EXPORT int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t* set) noexcept {
  static decltype(&::pthread_setaffinity_np) library;
  if (ours()) return write_mask(size, set);
  if (library == nullptr) library = next_symbol<decltype(&::pthread_setaffinity_np)>("pthread_setaffinity_np");
  return library(thread, size, set);
}
