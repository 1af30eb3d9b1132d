// libatomic's calls: where the compilers do not inline an atomic operation of instrumented or plain code, it comes here.
// The names are the compilers' own builtins, so they are given as assembler names.
#include <string.h>

#include "runtime/memory/atomic_call.h"

using namespace heddle;
using namespace heddle::rt;

#define HEDDLE_CALLER __builtin_return_address(0)
#define HEDDLE_NAMED(result, own, name, parameters)                                  \
  extern "C" __attribute__((visibility("default"))) result own parameters asm(name); \
  result own parameters

#define HEDDLE_LIBATOMIC_UPDATE(T, n, word, expression)                                                                                \
  HEDDLE_NAMED(T, own_fetch_##word##_##n, "__atomic_fetch_" #word "_" #n, (volatile void* p, T value, int order)) {                    \
    return atomic_update(static_cast<volatile T*>(p), order, HEDDLE_CALLER, false, [=](T old) { return static_cast<T>(expression); }); \
  }                                                                                                                                    \
  HEDDLE_NAMED(T, own_##word##_fetch_##n, "__atomic_" #word "_fetch_" #n, (volatile void* p, T value, int order)) {                    \
    return atomic_update(static_cast<volatile T*>(p), order, HEDDLE_CALLER, true, [=](T old) { return static_cast<T>(expression); });  \
  }

#define HEDDLE_LIBATOMIC(T, n)                                                                                                           \
  HEDDLE_NAMED(T, own_load_##n, "__atomic_load_" #n, (const volatile void* p, int order)) {                                              \
    return atomic_load(static_cast<const volatile T*>(p), order, HEDDLE_CALLER);                                                         \
  }                                                                                                                                      \
  HEDDLE_NAMED(void, own_store_##n, "__atomic_store_" #n, (volatile void* p, T value, int order)) {                                      \
    atomic_store(static_cast<volatile T*>(p), value, order, HEDDLE_CALLER);                                                              \
  }                                                                                                                                      \
  HEDDLE_NAMED(T, own_exchange_##n, "__atomic_exchange_" #n, (volatile void* p, T value, int order)) {                                   \
    return atomic_update(static_cast<volatile T*>(p), order, HEDDLE_CALLER, false, [=](T) { return value; });                            \
  }                                                                                                                                      \
  HEDDLE_NAMED(bool, own_compare_exchange_##n, "__atomic_compare_exchange_" #n,                                                          \
               (volatile void* p, void* expected, T wanted, int order, int failure_order)) {                                             \
    return atomic_compare_exchange(static_cast<volatile T*>(p), static_cast<T*>(expected), wanted, order, failure_order, HEDDLE_CALLER); \
  }                                                                                                                                      \
  HEDDLE_LIBATOMIC_UPDATE(T, n, add, old + value)                                                                                        \
  HEDDLE_LIBATOMIC_UPDATE(T, n, sub, old - value)                                                                                        \
  HEDDLE_LIBATOMIC_UPDATE(T, n, and, old& value)                                                                                         \
  HEDDLE_LIBATOMIC_UPDATE(T, n, or, old | value)                                                                                         \
  HEDDLE_LIBATOMIC_UPDATE(T, n, xor, old ^ value)                                                                                        \
  HEDDLE_LIBATOMIC_UPDATE(T, n, nand, ~(old & value))

HEDDLE_LIBATOMIC(uint8_t, 1)
HEDDLE_LIBATOMIC(uint16_t, 2)
HEDDLE_LIBATOMIC(uint32_t, 4)
HEDDLE_LIBATOMIC(uint64_t, 8)
HEDDLE_LIBATOMIC(U128, 16)

namespace {

// Objects of any other size: one lock for all, as threads outside of our control may be there too.
char g_generic_lock;

struct GenericLock {
  GenericLock() {
    while (__atomic_test_and_set(&g_generic_lock, __ATOMIC_ACQUIRE)) {
    }
  }
  ~GenericLock() { __atomic_clear(&g_generic_lock, __ATOMIC_RELEASE); }
};

template <typename Perform>
bool generic(Op op, size_t size, const volatile void* object, int order, const void* pc, Perform perform) {
  const void* address = const_cast<const void*>(object);
  Event* event = hooks_on() ? before_atomic(op, address, static_cast<uint32_t>(size), pc) : nullptr;
  bool failed = false;
  {
    GenericLock lock;
    failed = perform();
  }
  if (hooks_on()) {
    uint64_t value = 0;
    memcpy(&value, address, size < 8 ? size : 8);
    after_atomic({op, failed, static_cast<uint32_t>(size), order, address, value, pc, event});
  }
  return !failed;
}

}  // namespace

HEDDLE_NAMED(void, own_load, "__atomic_load", (size_t size, const volatile void* from, void* to, int order)) {
  generic(Op::kAtomicLoad, size, from, order, HEDDLE_CALLER, [&] {
    memcpy(to, const_cast<const void*>(from), size);
    return false;
  });
}

HEDDLE_NAMED(void, own_store, "__atomic_store", (size_t size, volatile void* to, const void* from, int order)) {
  generic(Op::kAtomicStore, size, to, order, HEDDLE_CALLER, [&] {
    memcpy(const_cast<void*>(to), from, size);
    return false;
  });
}

HEDDLE_NAMED(void, own_exchange, "__atomic_exchange", (size_t size, volatile void* object, const void* value, void* result, int order)) {
  generic(Op::kAtomicRmw, size, object, order, HEDDLE_CALLER, [&] {
    memcpy(result, const_cast<const void*>(object), size);
    memcpy(const_cast<void*>(object), value, size);
    return false;
  });
}

HEDDLE_NAMED(bool, own_compare_exchange, "__atomic_compare_exchange",
             (size_t size, volatile void* object, void* expected, const void* wanted, int order, int)) {
  return generic(Op::kAtomicCas, size, object, order, HEDDLE_CALLER, [&] {
    if (memcmp(const_cast<const void*>(object), expected, size) == 0) {
      memcpy(const_cast<void*>(object), wanted, size);
      return false;
    }
    memcpy(expected, const_cast<const void*>(object), size);
    return true;
  });
}
