#pragma once
// System calls without libc: its wrappers are what we interpose, and they are cancellation points.
#include <stdint.h>
#include <sys/syscall.h>

#include "runtime/base/call_effects.h"

namespace heddle::rt {

template <typename T>
inline long word(T value) {
  if constexpr (__is_same(T, decltype(nullptr))) {
    return 0;
  } else {
    return (long)value;
  }
}

inline long raw_syscall(long n, long a, long b, long c, long d, long e, long f) {
  long result;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall" : "=a"(result) : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
  return result;
}

// Made on the program's behalf, or for a purpose of our own? Only the former tells it something: outside_influence.h.
extern bool g_influence_watched;
void saw_own_call(long n);

// Returns -errno on failure, as the kernel does. What is left behind by the call is noted: see rewind.h.
template <typename A = long, typename B = long, typename C = long, typename D = long, typename E = long, typename F = long>
inline long sys(long n, A a = 0, B b = 0, C c = 0, D d = 0, E e = 0, F f = 0) {
  const CallEffect effect = effect_of(n, word(b), word(c));
  if (__builtin_expect(g_influence_watched, 0)) saw_own_call(n);
  const long result = raw_syscall(n, word(a), word(b), word(c), word(d), word(e), word(f));
  if (effect != CallEffect::kNone) {
    const long all[6] = {word(a), word(b), word(c), word(d), word(e), word(f)};
    left_effect(effect, n, all, result);
  }
  return result;
}

}  // namespace heddle::rt
