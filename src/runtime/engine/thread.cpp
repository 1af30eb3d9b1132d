#include "runtime/engine/thread.h"

#include "runtime/base/placement.h"
#include "runtime/engine/candidates.h"
#include "runtime/engine/due.h"
#include "runtime/engine/names.h"
#include "runtime/engine/upward.h"

namespace heddle::rt {

HEDDLE_APART ThreadSlot g_threads[kMaxThreads];
uint32_t g_thread_count;
ThreadSlot* g_current;
HEDDLE_APART Live g_live[kMaxThreads];
uint32_t g_live_count;
__thread char t_managed __attribute__((tls_model("initial-exec")));

ThreadSlot* slot_of(pthread_t handle) {
  // The newest first: glibc reuses a handle once its thread is reaped.
  for (uint32_t i = g_thread_count; i-- > 0;) {
    ThreadSlot& t = g_threads[i];
    if (t.carrier.handle == handle && t.life != Life::kFree && t.life != Life::kPooled && t.life != Life::kReaped) return &t;
  }
  return nullptr;
}

ThreadSlot* slot_of_tid(pid_t tid) {
  for (uint32_t i = g_thread_count; i-- > 0;) {
    if (g_threads[i].tid == tid && g_threads[i].life == Life::kLive) return &g_threads[i];
  }
  return nullptr;
}

void add_live(ThreadSlot* thread) {
  thread->place = g_live_count;
  thread->unfinished = 1;
  g_live[g_live_count++].slot = thread->index;
  ++g_naming_era;
  update_candidate(*thread);
}

void remove_live(ThreadSlot* thread) {
  for (uint32_t i = thread->place; i + 1 < g_live_count; ++i) {
    g_live[i] = g_live[i + 1];
    g_candidates[i] = g_candidates[i + 1];
    g_threads[g_live[i].slot].place = i;
  }
  --g_live_count;
  thread->unfinished = 0;
  ++g_naming_era;
}

void note_held(ThreadSlot* thread, const void* lock, SiteId site) {
  if (thread->held.count < kMaxHeld) thread->held.locks[thread->held.count] = {lock, site};
  ++thread->held.count;
  if (g_detecting && t_managed) kUpward.race_locks(thread);
}

void note_released(ThreadSlot* thread, const void* lock) {
  const uint32_t kept = thread->held.count < kMaxHeld ? thread->held.count : kMaxHeld;
  for (uint32_t i = kept; i-- > 0;) {
    if (thread->held.locks[i].address != lock) continue;
    for (uint32_t j = i; j + 1 < kept; ++j) thread->held.locks[j] = thread->held.locks[j + 1];
    break;
  }
  if (thread->held.count > 0) --thread->held.count;
  if (g_detecting && t_managed) kUpward.race_locks(thread);
}

SiteId held_site(const ThreadSlot* thread, const void* lock) {
  const uint32_t kept = thread->held.count < kMaxHeld ? thread->held.count : kMaxHeld;
  for (uint32_t i = kept; i-- > 0;) {
    if (thread->held.locks[i].address == lock) return thread->held.locks[i].site;
  }
  return kNoSite;
}

}  // namespace heddle::rt
