// What a program may say about its synchronisation that nobody sees, and about accesses that are not to be watched: ThreadSanitizer's
// interface (sanitizer/tsan_interface.h) and the older dynamic annotations.
#include "runtime/memory/tsan_hooks.h"

using namespace heddle;
using namespace heddle::rt;

namespace {

// Of __tsan_mutex_*; the others say nothing about order.
enum MutexFlag : unsigned { kReadLock = 1u << 3, kTryLockFailed = 1u << 5 };

void starts_inside() { annotate_ignore(kIgnoreAccesses | kIgnoreSync, 1); }
void ends_inside() { annotate_ignore(kIgnoreAccesses | kIgnoreSync, -1); }

}  // namespace

HEDDLE_EXPORT void __tsan_acquire(void* p) { annotate(p, Annotation::kAcquire); }
HEDDLE_EXPORT void __tsan_release(void* p) { annotate(p, Annotation::kRelease); }

// A mutex of the program's own. What it does inside of these brackets is how it is made, and orders nothing.
HEDDLE_EXPORT void __tsan_mutex_create(void*, unsigned) {}
HEDDLE_EXPORT void __tsan_mutex_destroy(void*, unsigned) {}
HEDDLE_EXPORT void __tsan_mutex_pre_lock(void*, unsigned) { starts_inside(); }
HEDDLE_EXPORT void __tsan_mutex_post_lock(void* p, unsigned flags, int) {
  ends_inside();
  if ((flags & kTryLockFailed) == 0) annotate(p, (flags & kReadLock) != 0 ? Annotation::kReadAcquire : Annotation::kAcquire);
}
HEDDLE_EXPORT int __tsan_mutex_pre_unlock(void* p, unsigned flags) {
  annotate(p, (flags & kReadLock) != 0 ? Annotation::kReadRelease : Annotation::kRelease);
  starts_inside();
  return 0;
}
HEDDLE_EXPORT void __tsan_mutex_post_unlock(void*, unsigned) { ends_inside(); }
HEDDLE_EXPORT void __tsan_mutex_pre_signal(void*, unsigned) { starts_inside(); }
HEDDLE_EXPORT void __tsan_mutex_post_signal(void*, unsigned) { ends_inside(); }
// Code that belongs to no mutex, called from inside of one.
HEDDLE_EXPORT void __tsan_mutex_pre_divert(void*, unsigned) { ends_inside(); }
HEDDLE_EXPORT void __tsan_mutex_post_divert(void*, unsigned) { starts_inside(); }

HEDDLE_EXPORT void __tsan_ignore_thread_begin() { annotate_ignore(kIgnoreAccesses, 1); }
HEDDLE_EXPORT void __tsan_ignore_thread_end() { annotate_ignore(kIgnoreAccesses, -1); }

// The dynamic annotations: all begin with the place of the call.
#define HEDDLE_HERE_IS const char*, int
HEDDLE_EXPORT void AnnotateHappensBefore(HEDDLE_HERE_IS, const volatile void* p) {
  annotate(const_cast<const void*>(p), Annotation::kRelease);
}
HEDDLE_EXPORT void AnnotateHappensAfter(HEDDLE_HERE_IS, const volatile void* p) {
  annotate(const_cast<const void*>(p), Annotation::kAcquire);
}
HEDDLE_EXPORT void AnnotateRWLockCreate(HEDDLE_HERE_IS, const volatile void*) {}
HEDDLE_EXPORT void AnnotateRWLockCreateStatic(HEDDLE_HERE_IS, const volatile void*) {}
HEDDLE_EXPORT void AnnotateRWLockDestroy(HEDDLE_HERE_IS, const volatile void*) {}
HEDDLE_EXPORT void AnnotateRWLockAcquired(HEDDLE_HERE_IS, const volatile void* p, long writes) {
  annotate(const_cast<const void*>(p), writes != 0 ? Annotation::kAcquire : Annotation::kReadAcquire);
}
HEDDLE_EXPORT void AnnotateRWLockReleased(HEDDLE_HERE_IS, const volatile void* p, long writes) {
  annotate(const_cast<const void*>(p), writes != 0 ? Annotation::kRelease : Annotation::kReadRelease);
}
// Reads and writes together: code that ignores one of them is not to be watched.
HEDDLE_EXPORT void AnnotateIgnoreReadsBegin(HEDDLE_HERE_IS) { annotate_ignore(kIgnoreReads, 1); }
HEDDLE_EXPORT void AnnotateIgnoreReadsEnd(HEDDLE_HERE_IS) { annotate_ignore(kIgnoreReads, -1); }
HEDDLE_EXPORT void AnnotateIgnoreWritesBegin(HEDDLE_HERE_IS) { annotate_ignore(kIgnoreWrites, 1); }
HEDDLE_EXPORT void AnnotateIgnoreWritesEnd(HEDDLE_HERE_IS) { annotate_ignore(kIgnoreWrites, -1); }
HEDDLE_EXPORT void AnnotateIgnoreSyncBegin(HEDDLE_HERE_IS) { annotate_ignore(kIgnoreSync, 1); }
HEDDLE_EXPORT void AnnotateIgnoreSyncEnd(HEDDLE_HERE_IS) { annotate_ignore(kIgnoreSync, -1); }
HEDDLE_EXPORT void AnnotateBenignRaceSized(HEDDLE_HERE_IS, const volatile void* p, size_t size, const char*) {
  annotate_benign(const_cast<const void*>(p), size);
}
HEDDLE_EXPORT void AnnotateBenignRace(HEDDLE_HERE_IS, const volatile void* p, const char*) {
  annotate_benign(const_cast<const void*>(p), 1);
}
HEDDLE_EXPORT void AnnotateThreadName(HEDDLE_HERE_IS, const char*) {}
