#pragma once
// One atomic operation between its two hooks. Whatever order the program asks for, it executes sequentially consistent; the order asked
// for only decides what happens before what (races.cpp).
#include "runtime/memory/tsan_hooks.h"

namespace heddle::rt {

__extension__ typedef unsigned __int128 U128;

template <typename T>
struct Performed {
  T result;  // what the program gets
  T now;     // what the object holds
  bool failed;
};

template <typename T, typename Perform>
inline __attribute__((always_inline)) T atomic_call(Op op, const volatile T* p, int order, int failure_order, const void* pc,
                                                    Perform perform) {
  if (!hooks_on()) return perform().result;
  const void* address = const_cast<const T*>(p);
  Event* event = before_atomic(op, address, sizeof(T), pc);
  const Performed<T> done = perform();
  after_atomic({op, done.failed, sizeof(T), done.failed ? failure_order : order, address, static_cast<uint64_t>(done.now), pc, event});
  return done.result;
}

// cmpxchg16b itself: the compilers would call libatomic, which we stand in for. Returns what was there.
inline U128 swap_if(volatile U128* p, U128 expected, U128 wanted) {
  auto low = static_cast<uint64_t>(expected);
  auto high = static_cast<uint64_t>(expected >> 64);
  asm volatile("lock cmpxchg16b %0"
               : "+m"(*p), "+a"(low), "+d"(high)
               : "b"(static_cast<uint64_t>(wanted)), "c"(static_cast<uint64_t>(wanted >> 64))
               : "cc", "memory");
  return (static_cast<U128>(high) << 64) | low;
}

template <typename T>
inline T raw_load(const volatile T* p) {
  if constexpr (sizeof(T) == 16) {
    return swap_if(const_cast<volatile T*>(p), 0, 0);
  } else {
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);
  }
}

template <typename T>
inline bool raw_compare_exchange(volatile T* p, T* expected, T wanted) {
  if constexpr (sizeof(T) == 16) {
    const T before = *expected;
    *expected = swap_if(p, before, wanted);
    return *expected == before;
  } else {
    return __atomic_compare_exchange_n(p, expected, wanted, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  }
}

// Replaces the value by `change` of it; returns the old one.
template <typename T, typename Change>
inline T raw_update(volatile T* p, Change change) {
  T old = raw_load(p);
  while (!raw_compare_exchange(p, &old, static_cast<T>(change(old)))) {
  }
  return old;
}

template <typename T>
inline T atomic_load(const volatile T* p, int order, const void* pc) {
  return atomic_call(Op::kAtomicLoad, p, order, order, pc, [&] {
    const T value = raw_load(p);
    return Performed<T>{value, value, false};
  });
}

template <typename T>
inline void atomic_store(volatile T* p, T value, int order, const void* pc) {
  atomic_call(Op::kAtomicStore, p, order, order, pc, [&] {
    if constexpr (sizeof(T) == 16) {
      raw_update(p, [&](T) { return value; });
    } else {
      __atomic_store_n(p, value, __ATOMIC_SEQ_CST);
    }
    return Performed<T>{value, value, false};
  });
}

// The result is the old value (fetch_add) or the new one (add_fetch).
template <typename T, typename Change>
inline T atomic_update(volatile T* p, int order, const void* pc, bool returns_new, Change change) {
  return atomic_call(Op::kAtomicRmw, p, order, order, pc, [&] {
    const T old = raw_update(p, change);
    const T now = static_cast<T>(change(old));
    return Performed<T>{returns_new ? now : old, now, false};
  });
}

template <typename T>
inline bool atomic_compare_exchange(volatile T* p, T* expected, T wanted, int order, int failure_order, const void* pc) {
  bool swapped = false;
  atomic_call(Op::kAtomicCas, p, order, failure_order, pc, [&] {
    swapped = raw_compare_exchange(p, expected, wanted);
    const T now = swapped ? wanted : *expected;
    return Performed<T>{now, now, !swapped};
  });
  return swapped;
}

}  // namespace heddle::rt
