// The compilers' hooks for atomic operations: the hook performs the operation.
#include "runtime/memory/atomic_call.h"

using namespace heddle;
using namespace heddle::rt;

#define HEDDLE_CALLER __builtin_return_address(0)

using Atomic8 = uint8_t;
using Atomic16 = uint16_t;
using Atomic32 = uint32_t;
using Atomic64 = uint64_t;
using Atomic128 = U128;

#define HEDDLE_UPDATE(bits, name, expression)                                                                                      \
  HEDDLE_EXPORT Atomic##bits __tsan_atomic##bits##_##name(volatile Atomic##bits* p, Atomic##bits value, int order) {               \
    return atomic_update(p, order, HEDDLE_CALLER, false, [=](Atomic##bits old) { return static_cast<Atomic##bits>(expression); }); \
  }

#define HEDDLE_ATOMIC(bits)                                                                                                              \
  HEDDLE_EXPORT Atomic##bits __tsan_atomic##bits##_load(const volatile Atomic##bits* p, int order) {                                     \
    return atomic_load(p, order, HEDDLE_CALLER);                                                                                         \
  }                                                                                                                                      \
  HEDDLE_EXPORT void __tsan_atomic##bits##_store(volatile Atomic##bits* p, Atomic##bits value, int order) {                              \
    atomic_store(p, value, order, HEDDLE_CALLER);                                                                                        \
  }                                                                                                                                      \
  HEDDLE_UPDATE(bits, exchange, ((void)old, value))                                                                                      \
  HEDDLE_UPDATE(bits, fetch_add, old + value)                                                                                            \
  HEDDLE_UPDATE(bits, fetch_sub, old - value)                                                                                            \
  HEDDLE_UPDATE(bits, fetch_and, old& value)                                                                                             \
  HEDDLE_UPDATE(bits, fetch_or, old | value)                                                                                             \
  HEDDLE_UPDATE(bits, fetch_xor, old ^ value)                                                                                            \
  HEDDLE_UPDATE(bits, fetch_nand, ~(old & value))                                                                                        \
  HEDDLE_EXPORT int __tsan_atomic##bits##_compare_exchange_strong(volatile Atomic##bits* p, Atomic##bits* expected, Atomic##bits wanted, \
                                                                  int order, int failure_order) {                                        \
    return atomic_compare_exchange(p, expected, wanted, order, failure_order, HEDDLE_CALLER) ? 1 : 0;                                    \
  }                                                                                                                                      \
  HEDDLE_EXPORT int __tsan_atomic##bits##_compare_exchange_weak(volatile Atomic##bits* p, Atomic##bits* expected, Atomic##bits wanted,   \
                                                                int order, int failure_order) {                                          \
    return atomic_compare_exchange(p, expected, wanted, order, failure_order, HEDDLE_CALLER) ? 1 : 0;                                    \
  }                                                                                                                                      \
  HEDDLE_EXPORT Atomic##bits __tsan_atomic##bits##_compare_exchange_val(volatile Atomic##bits* p, Atomic##bits expected,                 \
                                                                        Atomic##bits wanted, int order, int failure_order) {             \
    atomic_compare_exchange(p, &expected, wanted, order, failure_order, HEDDLE_CALLER);                                                  \
    return expected;                                                                                                                     \
  }

HEDDLE_ATOMIC(8)
HEDDLE_ATOMIC(16)
HEDDLE_ATOMIC(32)
HEDDLE_ATOMIC(64)
HEDDLE_ATOMIC(128)

HEDDLE_EXPORT void __tsan_atomic_thread_fence(int order) {
  if (hooks_on()) {
    Event* event = before_atomic(Op::kFence, nullptr, 0, HEDDLE_CALLER);
    after_atomic({Op::kFence, false, 0, order, nullptr, 0, HEDDLE_CALLER, event});
  }
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
HEDDLE_EXPORT void __tsan_atomic_signal_fence(int) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }
