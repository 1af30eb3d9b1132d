#include "runtime/engine/strange_threads.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>

#include "runtime/base/sys.h"
#include "runtime/engine/names.h"
#include "runtime/engine/run.h"
#include "runtime/engine/scheduler.h"
#include "runtime/engine/thread.h"

namespace heddle::rt {

namespace {

bool g_noted;

bool is_thread_of_ours(long tid) {
  if (tid == sys(SYS_getpid)) return true;
  for (uint32_t i = 0; i < g_thread_count; ++i) {
    if (g_threads[i].tid == tid) return true;
  }
  // Donors that stand ready are at the end of the table.
  for (uint32_t i = kMaxThreads; i-- > g_thread_count && g_threads[i].life == Life::kPooled;) {
    if (g_threads[i].tid == tid) return true;
  }
  return false;
}

}  // namespace

void note_strange_thread(void* pc) {
  Pending p{};
  p.op = Op::kFork;
  p.flags = kShared;
  p.site = caller_site(pc);
  point(p);
  note(p.site, "a thread that clone or the C library made is not under control");
  g_noted = true;
  // Who waits already learns of it by the word, as those will who come later.
  for (uint32_t i = 0; i < g_live_count; ++i) {
    Pending& waits = g_threads[g_live[i].slot].pending;
    if (waits.op == Op::kFutexResume || waits.op == Op::kFutexTimedResume) waits.second = const_cast<void*>(waits.address);
  }
}

bool had_strange_thread() { return g_noted; }

bool has_strange_thread() {
  const long directory = sys(SYS_open, "/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  if (directory < 0) return true;
  bool found = false;
  alignas(8) char block[4096];
  for (long n; (n = sys(SYS_getdents64, directory, block, sizeof block)) > 0;) {
    for (long at = 0; at < n;) {
      const auto* entry = reinterpret_cast<const dirent64*>(block + at);
      at += entry->d_reclen;
      if (entry->d_name[0] != '.' && !is_thread_of_ours(atol(entry->d_name))) found = true;
    }
  }
  sys(SYS_close, directory);
  return found;
}

}  // namespace heddle::rt
