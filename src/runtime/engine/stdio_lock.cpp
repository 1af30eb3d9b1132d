#include "runtime/engine/stdio_lock.h"

namespace heddle::rt {

namespace {

// glibc's _IO_lock_t
struct StreamLock {
  int word;
  int count;
  const void* owner;  // the thread's descriptor
};
constexpr int kLockedByCaller = 0x8000;

const volatile StreamLock* lock_of(const FILE* stream) {
  return (stream->_flags & kLockedByCaller) != 0 ? nullptr : reinterpret_cast<const volatile StreamLock*>(stream->_lock);
}

}  // namespace

bool stream_free_for(const FILE* stream, const ThreadSlot& thread) {
  const volatile StreamLock* lock = stream != nullptr ? lock_of(stream) : nullptr;
  return lock == nullptr || lock->word == 0 || lock->owner == reinterpret_cast<const void*>(thread.carrier.fs_base);
}

ThreadSlot* stream_owner(const FILE* stream) {
  const volatile StreamLock* lock = lock_of(stream);
  if (lock == nullptr || lock->word == 0) return nullptr;
  for (uint32_t i = 0; i < g_live_count; ++i) {
    ThreadSlot* t = &g_threads[g_live[i].slot];
    if (lock->owner == reinterpret_cast<const void*>(t->carrier.fs_base)) return t;
  }
  return nullptr;
}

}  // namespace heddle::rt
