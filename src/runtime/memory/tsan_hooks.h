#pragma once
// What stands behind the compilers' instrumentation hooks (tsan_*.cpp). The same sources make the stub library that an instrumented
// program is linked with, where every hook is the plain operation and nothing else: the program runs without us, unchanged.
#include <stddef.h>
#include <stdint.h>

#include "wire/event.h"
#ifndef HEDDLE_STUB
#include "runtime/base/watch.h"
#include "runtime/engine/thread.h"
#endif

#ifndef HEDDLE_EXPORT
#define HEDDLE_EXPORT extern "C" __attribute__((visibility("default")))
#endif

namespace heddle::rt {

// An atomic operation that has just been performed.
struct AtomicDone {
  Op op;
  bool failed;  // a compare-and-swap that did not swap
  uint32_t size;
  int order;  // as the program asked for it; executed sequentially consistent
  const void* address;
  uint64_t value;  // what the object holds now, its first 8 bytes
  const void* pc;  // return address of the hook
  Event* event;    // from before_atomic
};

// The program's own word about its synchronisation by an address.
enum class Annotation : uint8_t { kAcquire, kRelease, kReadAcquire, kReadRelease };
// What is not to be watched. A thread says so any number of times, and takes it back as often.
enum Ignored : uint8_t { kIgnoreReads = 1, kIgnoreWrites = 2, kIgnoreSync = 4, kIgnoreAccesses = kIgnoreReads | kIgnoreWrites };

#ifdef HEDDLE_STUB

inline bool hooks_on() { return false; }
inline bool passes_by(const void*, size_t, Op, const void*) { return true; }
inline void access(const void*, size_t, Op, const void*) {}
inline Event* before_atomic(Op, const void*, uint32_t, const void*) { return nullptr; }
inline void after_atomic(const AtomicDone&) {}
inline void function_entry(const void*, const void*) {}
inline void function_exit(const void*) {}
inline void annotate(const void*, Annotation) {}
inline void annotate_ignore(int, int) {}
inline void annotate_benign(const void*, size_t) {}
inline void saw_instrumentation() {}

#else

enum HookState : uint8_t { kHooksOff, kHooksOn, kHooksWatch };
extern uint8_t g_hooks;  // off: every hook does the plain operation; watch: accesses are watched for races

// A cheap question: most hooks of a run without a tool, before main or after the end stop here.
inline bool hooks_on() { return __builtin_expect(g_hooks != 0, 0); }

// Is this an access that the detector knows of already, so that there is nothing to do?
inline __attribute__((always_inline)) bool passes_by(const void* address, size_t size, Op op, const void* pc) {
  return g_hooks == kHooksWatch && t_managed && size <= 8 && pass_by(address, static_cast<uint32_t>(size), op != Op::kLoad, pc);
}

// Before a plain access of `size` bytes; `pc` is the return address of the hook.
void access(const void* address, size_t size, Op op, const void* pc);

// Around an atomic operation, which the caller performs.
Event* before_atomic(Op op, const void* address, uint32_t size, const void* pc);
void after_atomic(const AtomicDone& done);

void function_entry(const void* call_site, const void* pc);
void function_exit(const void* pc);
void annotate(const void* address, Annotation what);
void annotate_ignore(int ignored, int more);
// Races about these bytes are meant to be.
void annotate_benign(const void* address, size_t size);
void saw_instrumentation();

#endif

}  // namespace heddle::rt
