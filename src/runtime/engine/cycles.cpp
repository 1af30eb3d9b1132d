#include "runtime/engine/cycles.h"

#include <signal.h>

#include "runtime/engine/model.h"
#include "runtime/engine/run.h"
#include "runtime/engine/thread_signals.h"
#include "runtime/engine/upward.h"

namespace heddle::rt {

namespace {

// Events that the others have to end a cycle, where it is not certain that they cannot.
constexpr uint64_t kCyclePatience = 5000;

constexpr uint64_t kFaults = signal_bit(SIGSEGV) | signal_bit(SIGBUS) | signal_bit(SIGFPE) | signal_bit(SIGILL) | signal_bit(SIGTRAP) |
                             signal_bit(SIGABRT) | signal_bit(SIGSYS);

struct Cycle {
  uint32_t members;
  bool certain;
};

// Could a handler of the program's, or a cancellation, take the thread out of its wait?
bool interruptible(const ThreadSlot& t) {
  if (t.cancel.async || (t.pending.cancels && !t.cancel.disabled)) return true;
  for (int number = 1; number < 65; ++number) {
    const uint64_t bit = signal_bit(number);
    if ((bit & (kFaults | t.signals.mask)) == 0 && kUpward.has_handler(number)) return true;
  }
  return false;
}

// How many threads are in the cycle that `thread` is in; 0: none.
uint32_t members_of_cycle(const ThreadSlot& thread) {
  const ThreadSlot* at = &thread;
  for (uint32_t members = 1; members <= g_live_count + 1; ++members) {
    if (ready(*at) != Ready::kNo) return 0;
    at = holder(*at);
    if (at == nullptr || at->life != Life::kLive) return 0;
    if (at == &thread) return members;
  }
  return 0;
}

// The cycle that `thread` is in; no members: none. What could end the waits of its members is asked about a cycle that exists only: a thread
// that waits for a lock is common, and the first look at an action of a signal's is a call.
Cycle cycle_of(const ThreadSlot& thread) {
  Cycle cycle{members_of_cycle(thread), true};
  // A thread that waits for itself only is one that another may help out.
  if (cycle.members == 1) cycle.certain = false;
  const ThreadSlot* at = &thread;
  for (uint32_t i = 0; i < cycle.members && cycle.certain; ++i, at = holder(*at)) {
    if (at->pending.op == Op::kThreadJoin || interruptible(*at)) cycle.certain = false;
  }
  return cycle;
}

bool still_holds() {
  if (g_run.cycle.step == 0) return false;
  const ThreadSlot& t = g_threads[g_run.cycle.thread];
  if (t.life == Life::kLive && t.operations == g_run.cycle.operations && cycle_of(t).members != 0) return true;
  g_run.cycle.step = 0;
  return false;
}

}  // namespace

void look_for_cycle(const ThreadSlot& thread) {
  const Cycle cycle = cycle_of(thread);
  if (cycle.members == 0) return;
  if (cycle.certain) end_run(OutcomeKind::kDeadlock, 0, "a cycle of lock owners");
  if (still_holds()) return;
  g_run.cycle.step = g_run.step;
  g_run.cycle.thread = thread.index;
  g_run.cycle.operations = thread.operations;
  // A run without a limit goes on for as long as the program does: whoever helps it out may sleep for long.
  const bool unlimited = g_run.plan.header->limits.events == ~uint64_t{0};
  if (!unlimited && g_run.event_limit > g_run.step + kCyclePatience) g_run.event_limit = g_run.step + kCyclePatience;
}

bool is_main_behind_cycle() {
  if (!still_holds()) return false;
  const ThreadSlot* at = &g_threads[0];
  for (uint32_t passed = 0; passed <= g_live_count; ++passed) {
    if (at == nullptr || at->life != Life::kLive || ready(*at) != Ready::kNo) return false;
    if (at->index == g_run.cycle.thread) return true;
    at = holder(*at);
  }
  return false;
}

void report_cycle() {
  if (!still_holds()) return;
  // What the others did afterwards is not part of it.
  if (g_run.header->event_count > g_run.cycle.step) g_run.header->event_count = g_run.cycle.step;
  end_run(OutcomeKind::kDeadlock, 0, "a cycle of lock owners");
}

bool outlived_cycle() {
  const uint64_t limit = g_run.plan.header->limits.events;
  if (g_run.event_limit >= limit) return false;
  g_run.event_limit = limit;
  return g_run.step < limit;
}

}  // namespace heddle::rt
