#pragma once
// The signals of a thread as its slot has them: which it would take now, and what the kernel is told of its mask.
#include <signal.h>

#include "runtime/engine/due.h"
#include "runtime/engine/run.h"

namespace heddle::rt {

// Stands for pthread_cancel among a thread's signals: glibc uses the same number.
inline constexpr int kCancelSignal = 32;
constexpr uint64_t signal_bit(int number) { return uint64_t{1} << (number - 1); }
// The mask that the kernel gets: SIGSYS must always come through, see outside/trap.h, and SIGTRAP, see memory/code_points.h.
constexpr uint64_t kernel_mask(uint64_t mask) { return mask & ~(signal_bit(SIGSYS) | signal_bit(SIGTRAP)); }

// Signals (and a cancellation) that this thread would take before the operation.
inline uint64_t deliverable(const ThreadSlot& t, const Pending& p) {
  if (__builtin_expect(t.signals.pending == 0, 1)) return 0;
  const uint64_t cancel = t.signals.pending & signal_bit(kCancelSignal);
  const uint64_t others = t.signals.pending & ~t.signals.mask & ~signal_bit(kCancelSignal);
  const bool cancels = p.cancels || (t.cancel.async && t.wait.on == nullptr);
  return others | (cancels && !t.cancel.disabled && !t.ending ? cancel : 0);
}
inline bool attention_due(const ThreadSlot& t, const Pending& p) {
  return g_attention != 0 || g_run.clock >= g_next_timer || deliverable(t, p) != 0;
}
// The same, whatever the thread does next: false only where nothing is due.
inline bool attention_due(const ThreadSlot& t) { return g_attention != 0 || g_run.clock >= g_next_timer || t.signals.pending != 0; }

// Where one kernel thread carries all: does its mask or its alternate stack have to change with the switch?
inline bool masks_differ(const ThreadSlot& from, const ThreadSlot& to) {
  return from.signals.mask != to.signals.mask || from.signals.handlers != 0 || from.signals.alternate_stack != to.signals.alternate_stack;
}

}  // namespace heddle::rt
