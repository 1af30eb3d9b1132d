#include "runtime/engine/repeated_state.h"

#include <dlfcn.h>

#include "runtime/base/placement.h"
#include "runtime/base/sys.h"
#include "runtime/engine/model.h"
#include "runtime/engine/outside_influence.h"
#include "runtime/engine/run.h"
#include "runtime/engine/state_hash.h"
#include "runtime/engine/strange_threads.h"
#include "runtime/engine/thread_signals.h"
#include "runtime/engine/unwinder.h"
#include "runtime/engine/upward.h"

namespace heddle::rt {

namespace {

// The first state to be compared with is taken here, the next ones at twice the distance each (Brent's way of finding a cycle).
constexpr uint64_t kFirstReference = 4000;
constexpr uint64_t kLongestStretch = 20000;  // events after each in which the same state is waited for
constexpr uint32_t kComparisons = 4;         // of all memory, with each

// Where a thread is in the program: above that, its stack is state; below, it is what earlier calls have left, and our own.
struct Place {
  bool known;
  uint32_t operations;  // of the thread: it has not moved since
  uintptr_t stack;
  StateHash hash;  // of its registers and where it goes on
};
HEDDLE_APART Place g_places[kMaxThreads];
HEDDLE_APART uint32_t g_operations[kMaxThreads];  // of each thread at the reference

struct Question {
  uint64_t progress;   // g_run.progress.last for which it is asked
  uint64_t reference;  // the step of the state that is compared with, or 0
  uint64_t until;
  uint64_t next;  // the step at which another one is taken
  uint32_t comparisons;
  StateHash threads;
  StateHash memory;
  bool open;
  bool repeated;
  const char* obstacle;
};
Question g_question;

void place_of(ThreadSlot* me) {
  Place& p = g_places[me->index];
  p.operations = me->operations;
  p.hash = {};
  ProgramFrame frame;
  p.known = find_program_frame(&frame);
  if (!p.known) return;
  p.stack = frame.stack;
  p.hash.add(frame.stack);
  p.hash.add(frame.pc);
  for (uintptr_t word : frame.saved) p.hash.add(word);
  for (int i = 0; me->live.general != nullptr && i < 16; ++i) p.hash.add(me->live.general[i]);
  const auto* vectors = static_cast<const uint64_t*>(me->live.vectors);
  for (uint32_t i = 0; vectors != nullptr && i < me->live.vector_bytes / sizeof *vectors; ++i) p.hash.add(vectors[i]);
}

bool place_is_known(const ThreadSlot& t) { return g_places[t.index].known && g_places[t.index].operations == t.operations; }

// A wait's end, as seen from now: that the clock itself goes on is no difference.
uint64_t time_left(const ThreadSlot& t) {
  if (!has(t.pending.op, kTimed)) return 0;
  return t.pending.deadline > g_run.clock ? t.pending.deadline - g_run.clock : 0;
}

StateHash hash_threads() {
  StateHash h{};
  for (uint32_t i = 0; i < g_live_count; ++i) {
    const ThreadSlot& t = g_threads[g_live[i].slot];
    h.add(t.id);
    if (place_is_known(t)) {
      h.add(g_places[t.index].hash.a);
      h.add(g_places[t.index].hash.b);
    } else {
      h.add(t.operations);  // one that does not run is where it was
    }
    h.add(static_cast<uint64_t>(t.pending.op));
    h.add(reinterpret_cast<uintptr_t>(t.pending.address));
    h.add(reinterpret_cast<uintptr_t>(t.pending.second));
    h.add(t.pending.site);
    h.add(time_left(t));
    h.add(reinterpret_cast<uintptr_t>(t.wait.on));
    h.add(t.signals.pending);
    h.add(t.signals.mask);
    h.add((t.wait.ended ? 1 : 0) | (t.cancel.requested ? 2 : 0) | (t.cancel.under_way ? 4 : 0) | (t.cancel.disabled ? 8 : 0) |
          (t.cancel.async ? 16 : 0) | (t.ending ? 32 : 0) | (t.detached ? 64 : 0));
  }
  return h;
}

const char* hash_state(StateHash* hash) {
  for (uint32_t i = 0; i < g_live_count; ++i) {
    const ThreadSlot& t = g_threads[g_live[i].slot];
    const bool known = place_is_known(t);
    const auto low = reinterpret_cast<uintptr_t>(t.carrier.stack_low);
    const auto high = reinterpret_cast<uintptr_t>(t.carrier.stack_high);
    const uintptr_t stack = known ? g_places[t.index].stack : reinterpret_cast<uintptr_t>(t.carrier.context);
    // Elsewhere than on its own stack only our own frames are known to be dead.
    if (stack >= low && stack < high) {
      leave_out(low, stack);
    } else if (known && &t != g_current && stack > reinterpret_cast<uintptr_t>(t.carrier.context)) {
      leave_out(reinterpret_cast<uintptr_t>(t.carrier.context), stack);
    }
  }
  *hash = {};
  return hash_memory(hash);
}

bool handles_signals() {
  // A fault is the thread's own doing; all others somebody outside may send.
  for (int number = 1; number < NSIG; ++number) {
    if (number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL || number == SIGTRAP || number == SIGSYS ||
        number == SIGABRT || number == SIGPIPE || number == SIGKILL || number == SIGSTOP || number == kCancelSignal || number == 33)
      continue;
    if (kUpward.has_handler(number)) return true;
  }
  return false;
}

bool awaits_signal() {
  for (uint32_t i = 0; i < g_live_count; ++i) {
    const Op op = g_threads[g_live[i].slot].pending.op;
    if (op == Op::kPause || op == Op::kSigWait || op == Op::kSigTimedWait) return true;
  }
  return false;
}

// Who else could still change something?
const char* influence() {
  if (g_next_timer != kNoTimer) return "a timer is armed";
  if (kUpward.live_children() > 0) return "a child process is alive";
  if (awaits_signal() || kUpward.awaits_outside()) return "a thread waits for something outside the program";
  if (handles_signals()) return "a signal from outside may end it";
  if (has_strange_thread()) return "a thread is not under control";
  return nullptr;
}

// Everybody who can run has run since: a thread that is only never let is no part of a livelock.
bool stretch_was_fair() {
  for (uint32_t i = 0; i < g_live_count; ++i) {
    const ThreadSlot& t = g_threads[g_live[i].slot];
    if (t.operations == g_operations[t.index] && ready(t) != Ready::kNo) return false;
  }
  return true;
}

void take_reference(ThreadSlot* me) {
  Question& q = g_question;
  const uint64_t idle = g_run.step - q.progress;
  q.next = q.progress + 2 * idle;
  q.until = g_run.step + (idle < kLongestStretch ? idle : kLongestStretch);
  q.reference = 0;
  q.obstacle = place_is_known(*me) ? influence() : "a thread's place in the program is not known";
  if (q.obstacle == nullptr) q.obstacle = hash_state(&q.memory);
  if (q.obstacle == nullptr && !watch_influence(me)) q.obstacle = "system calls cannot be watched here";
  clear_disturbance();
  if (q.obstacle != nullptr) return;
  q.reference = g_run.step;
  q.comparisons = kComparisons;
  q.threads = hash_threads();
  for (uint32_t i = 0; i < g_live_count; ++i) g_operations[g_live[i].slot] = g_threads[g_live[i].slot].operations;
}

void compare() {
  Question& q = g_question;
  if (disturbance() != nullptr) {
    q.obstacle = disturbance();
    q.reference = 0;
    return;
  }
  if (!place_is_known(*g_current) || !(hash_threads() == q.threads) || !stretch_was_fair()) return;
  StateHash memory;
  --q.comparisons;
  const char* obstacle = hash_state(&memory);
  if (obstacle == nullptr) obstacle = influence();
  if (obstacle == nullptr) {
    q.repeated = memory == q.memory;
    if (!q.repeated) obstacle = "memory changes";
  }
  q.obstacle = obstacle;
}

}  // namespace

void look_for_repetition(ThreadSlot* me) {
  Question& q = g_question;
  const uint64_t idle = g_run.step - g_run.progress.last;
  if (idle < kAskFrom) return stop_looking(me);
  if (!q.open || q.progress != g_run.progress.last) {
    q = {};
    q.open = true;
    q.progress = g_run.progress.last;
    q.next = q.progress + kFirstReference;
    // Some threads run seldom: where they are is asked of each at its point.
    q.until = q.next;
  }
  const Family family = row(me->pending.op).family;
  // What it starts must not inherit how it is watched; and nothing of this kind is a wait.
  if (family == Family::kProcesses || me->pending.op == Op::kThreadCreate) {
    stop_looking(me);
    return;
  }
  if (q.repeated) return;
  if (g_run.step > q.until && g_run.step < q.next) {
    if (me->watched || g_influence_watched) stop_watching_influence(me);
    return;
  }
  place_of(me);
  if (g_run.step >= q.next) {
    const OwnCalls quiet;
    take_reference(me);
  } else if (q.reference != 0 && q.comparisons > 0) {
    const OwnCalls quiet;
    if (!watch_influence(me)) q.reference = 0;
    compare();
  }
}

void stop_looking(ThreadSlot* me) {
  if (g_question.open) {
    const char* obstacle = g_question.obstacle;
    g_question = {};
    g_question.obstacle = obstacle;
  }
  if (me->watched || g_influence_watched) stop_watching_influence(me);
}

bool state_has_repeated() { return g_question.repeated && g_question.progress == g_run.progress.last; }
const char* why_not_repeated() { return g_question.obstacle != nullptr ? g_question.obstacle : "no state was seen to come back"; }

}  // namespace heddle::rt
