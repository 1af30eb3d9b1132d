// The compilers' hooks for plain accesses, virtual table pointers, function entries and exits. gcc 12, clang 14 and clang 19 together.
#include "runtime/memory/tsan_hooks.h"

using namespace heddle;
using namespace heddle::rt;

// Calls of these, and of no others, may be rewritten to NOPs (patch.cpp): they have a section of their own.
#define HEDDLE_HOOK extern "C" __attribute__((visibility("default"), section("heddle_hooks"), used))
#define HEDDLE_CALLER __builtin_return_address(0)

namespace {

inline __attribute__((always_inline)) void hook(const void* address, size_t size, Op op, const void* pc) {
  if (hooks_on() && !(__builtin_constant_p(size) && passes_by(address, size, op, pc))) access(address, size, op, pc);
}

}  // namespace

#define HEDDLE_ACCESS(prefix, bytes)                                                                       \
  HEDDLE_HOOK void __tsan_##prefix##read##bytes(void* p) { hook(p, bytes, Op::kLoad, HEDDLE_CALLER); }     \
  HEDDLE_HOOK void __tsan_##prefix##write##bytes(void* p) { hook(p, bytes, Op::kStore, HEDDLE_CALLER); }   \
  HEDDLE_HOOK void __tsan_##prefix##read##bytes##_pc(void* p, void* pc) { hook(p, bytes, Op::kLoad, pc); } \
  HEDDLE_HOOK void __tsan_##prefix##write##bytes##_pc(void* p, void* pc) { hook(p, bytes, Op::kStore, pc); }
#define HEDDLE_UPDATE(prefix, bytes) \
  HEDDLE_HOOK void __tsan_##prefix##read_write##bytes(void* p) { hook(p, bytes, Op::kLoadStore, HEDDLE_CALLER); }
#define HEDDLE_SIZES(X, prefix) X(prefix, 1) X(prefix, 2) X(prefix, 4) X(prefix, 8) X(prefix, 16)

HEDDLE_SIZES(HEDDLE_ACCESS, )
HEDDLE_SIZES(HEDDLE_ACCESS, unaligned_)
HEDDLE_SIZES(HEDDLE_ACCESS, volatile_)
HEDDLE_SIZES(HEDDLE_ACCESS, unaligned_volatile_)
HEDDLE_SIZES(HEDDLE_UPDATE, )
HEDDLE_SIZES(HEDDLE_UPDATE, unaligned_)

HEDDLE_HOOK void __tsan_read_range(void* p, size_t n) { hook(p, n, Op::kLoad, HEDDLE_CALLER); }
HEDDLE_HOOK void __tsan_write_range(void* p, size_t n) { hook(p, n, Op::kStore, HEDDLE_CALLER); }
HEDDLE_HOOK void __tsan_read_range_pc(void* p, size_t n, void* pc) { hook(p, n, Op::kLoad, pc); }
HEDDLE_HOOK void __tsan_write_range_pc(void* p, size_t n, void* pc) { hook(p, n, Op::kStore, pc); }

// A constructor or destructor that stores the pointer that is already there does not change the object's type.
HEDDLE_HOOK void __tsan_vptr_update(void** p, void* value) {
  if (hooks_on() && *p != value) access(p, sizeof(void*), Op::kStore, HEDDLE_CALLER);
}
HEDDLE_HOOK void __tsan_vptr_read(void** p) { hook(p, sizeof(void*), Op::kLoad, HEDDLE_CALLER); }

HEDDLE_HOOK void __tsan_func_entry(void* call_site) {
  if (hooks_on()) function_entry(call_site, HEDDLE_CALLER);
}
// Always 0, in the register of results: where a function without a result is called through a pointer to one with a result, the caller must
// not get to see what we happened to leave there.
HEDDLE_HOOK long __tsan_func_exit() {
  if (hooks_on()) function_exit(HEDDLE_CALLER);
  return 0;
}

HEDDLE_EXPORT void __tsan_init() { saw_instrumentation(); }
// Fibers of the program's own are parts of the thread that runs them: what they touch, it touches.
HEDDLE_EXPORT void* __tsan_get_current_fiber() { return __builtin_thread_pointer(); }
HEDDLE_EXPORT void* __tsan_create_fiber(unsigned) { return __builtin_thread_pointer(); }
HEDDLE_EXPORT void __tsan_destroy_fiber(void*) {}
HEDDLE_EXPORT void __tsan_switch_to_fiber(void*, unsigned) {}
HEDDLE_EXPORT void __tsan_set_fiber_name(void*, const char*) {}
HEDDLE_EXPORT void __tsan_flush_memory() {}
