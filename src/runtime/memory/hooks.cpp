#include "runtime/memory/hooks.h"

#include <string.h>

#include "runtime/base/memory_map.h"
#include "runtime/base/placement.h"
#include "runtime/base/watch.h"
#include "runtime/engine/event_stacks.h"
#include "runtime/engine/names.h"
#include "runtime/engine/ready_log.h"
#include "runtime/engine/scheduler.h"
#include "runtime/engine/spin.h"
#include "runtime/memory/call_sites.h"
#include "runtime/memory/code_points.h"
#include "runtime/memory/functions.h"
#include "runtime/memory/heap.h"
#include "runtime/memory/patch.h"
#include "runtime/memory/race_clocks.h"
#include "runtime/memory/races.h"
#include "runtime/memory/twins.h"
#include "wire/disabled_hooks.h"
#include "wire/event_stacks.h"
#include "wire/ready_log.h"

namespace heddle::rt {

uint8_t g_hooks;

namespace {

bool g_instrumented;
// A site that was executed so often without being a point is worth the price of rewriting it.
constexpr uint32_t kHotAfter = 256;
uint32_t g_listing;  // DetectFlags of lists
HookBlock* block() { return reinterpret_cast<HookBlock*>(g_run.slot + g_run.layout.hooks); }

uint64_t value_at(const void* address, size_t size) {
  uint64_t value = 0;
  memcpy(&value, address, size < sizeof value ? size : sizeof value);
  return value;
}

void set_value(Event* event, uint64_t value, size_t size) {
  // Of a wider value the first 8 bytes are kept: a structure often begins with a pointer.
  const ObjectId target = size >= sizeof(void*) ? pointee(value) : kNoObject;
  if (target != kNoObject) event->flags |= kPointer;
  event->value = target != kNoObject ? target : value;
}

// Before its first thread a program meets nobody: its accesses are no operations of a run, and nobody watches them. They may be millions.
bool alone() { return !g_run.claimed; }

bool lists_called() { return __builtin_expect((g_listing & kListExecuted) != 0, 0); }

bool is_freed(const void* address, size_t size) {
  return chunk_at(reinterpret_cast<uintptr_t>(address)) != nullptr && is_freed_slow(reinterpret_cast<uintptr_t>(address), size);
}

void list_called(CallSite* at) {
  at->listed = true;
  list_site(at->site);
}

// A hook's call that was no point.
void skipped(CallSite* at) {
  if (at->spins) return;
  const bool counts = (g_listing & (kListHot | kRewriteHot)) != 0;
  if (detecting() && (!counts || at->listed)) settled_slot(at->pc) = at->pc;
  if (!counts || at->listed || ++at->count < kHotAfter) return;
  at->listed = true;
  if ((g_listing & kListHot) != 0) list_site(at->site);
  if ((g_listing & kRewriteHot) == 0 || !g_run.claimed) return;
  at->disabled = true;
  patch_call(reinterpret_cast<const void*>(at->pc));
  block()->patched = patched_calls();
  twin_grew_disabled(reinterpret_cast<const void*>(at->pc));
}

// A loop waits here: it has to give way, and its hooks are needed.
void spins_at(CallSite* at) {
  at->point = at->spins = true;
  drop_twins();
  if (is_settled(reinterpret_cast<const void*>(at->pc))) settled_slot(at->pc) = 0;
  HookBlock* b = block();
  for (uint32_t i = 0; at->listed && i < b->patch_count; ++i) {
    if (b->patches[i] == at->site) b->patches[i] = b->patches[--b->patch_count];
  }
}

// A loop that only reads, and reads the same again and again, waits for somebody else.
void mark_spin(Event* event) {
  event->flags |= kSpin;
  g_current->gave_way = true;
  no_progress();
}

}  // namespace

Event* access_event(Op op, const void* address, size_t size, SiteId site) {
  Pending p{};
  p.op = op;
  p.flags = size > 8 ? kWide : 0;
  p.size = static_cast<uint32_t>(size);
  p.address = address;
  p.object = object_of(address);
  p.site = site;
  return point(p);
}

void read_done(Event* event, uintptr_t pc, const void* address, size_t size) {
  const uint64_t value = value_at(address, size);
  set_value(event, value, size);
  if (reads_again(pc, address, value, true)) mark_spin(event);
}

void write_known(Event* event, uint64_t value, size_t size) {
  set_value(event, value_at(&value, size), size);
  reads_changed();
}

void write_begins(Event* event, const void* address, size_t size) {
  g_open_store = {event, address, static_cast<uint32_t>(size)};
  reads_changed();
}

void saw_instrumentation() { g_instrumented = true; }
bool instrumented() { return g_instrumented; }

void install_hooks() {
  const PlanHeader& header = *g_run.plan.header;
  install_point_set(*g_run.plan.header, g_run.plan.sites);
  install_races((header.detect & kDetectRaces) != 0);
  install_event_stacks((header.detect & kDetectStacks) != 0);
  install_ready_log((header.detect & kDetectReady) != 0);
  g_listing = header.detect & (kListHot | kRewriteHot | kListExecuted);
  if ((g_listing & kListExecuted) != 0) watch_functions();
  rewrite_disabled();
  choose_twins();
  install_code_points();
  g_hooks = g_detecting ? kHooksWatch : kHooksOn;
}

void begin_counts() {
  alignas(HookBlock) static char before[offsetof(HookBlock, patches)];
  static bool known;
  HookBlock* b = block();
  if (!known) {
    b->patched = patched_calls();
    memcpy(before, b, sizeof before);
    known = true;
  }
  memcpy(b, before, sizeof before);
}

void list_site(SiteId site) {
  HookBlock* b = block();
  if (b->patch_count < kMaxPatches) b->patches[b->patch_count++] = site;
}

void note_twins(const SiteId* stack, uint32_t size) {
  for (uint32_t i = 0; i < size; ++i) {
    if (in_twin(address_of(stack[i]))) block()->in_twin = 1;
  }
}

void settle_store() {
  Event* event = g_open_store.event;
  g_open_store.event = nullptr;
  set_value(event, value_at(g_open_store.address, g_open_store.size), g_open_store.size);
}

inline void saw_store() {
  reads_changed();
  g_watch.loads = 0;
}

// Is this read, which is no point, one to look at more closely?
inline bool may_wait() { return g_watch.loads++ >= g_watch.limit; }

inline __attribute__((always_inline)) bool follow(bool load) {
  if (load) return may_wait();
  saw_store();
  return false;
}

// What is not settled by the detector alone. `suspect`: a read that may belong to a loop that waits.
__attribute__((noinline)) static void whole_access(const void* address, size_t size, Op op, const void* pc, bool suspect) {
  const bool load = op == Op::kLoad;
  ++block()->accesses;
  CallSite* at = call_site(pc, HookKind::kPlain);
  if (lists_called() && !at->listed) list_called(at);
  if (at->disabled) return;
  if (!detecting() && !alone()) suspect = follow(load);
  if (!at->point || (alone() && !at->spins)) {
    if (is_freed(address, size)) report_freed_use(address, size, op, pc);
    if (detecting() && !alone()) race_access(address, size, op, pc);
    // Also where accesses are no points a loop must not wait for ever for a thread that does not get to run.
    if (!suspect || !reads_again(at->pc, address, value_at(address, size), false)) {
      if (!alone()) skipped(at);
      return;
    }
    spins_at(at);
  }
  Event* event = access_event(op, address, size, at->site);
  g_watch.loads = 0;
  if (is_freed(address, size)) report_freed_use(address, size, op, pc);
  if (detecting()) race_access(address, size, op, pc);
  if (load) {
    read_done(event, at->pc, address, size);
  } else {
    write_begins(event, address, size);
  }
}

void access(const void* address, size_t size, Op op, const void* pc) {
  if (!active()) return;
  bool suspect = false;
  if (alone()) {
    suspect = follow(op == Op::kLoad);
    if (!suspect && !is_freed(address, size) && !lists_called()) {
      ++block()->accesses;
      return;
    }
  } else if (detecting()) {
    suspect = follow(op == Op::kLoad);
    if (!suspect && is_settled(pc) && !is_freed(address, size)) {
      race_access(address, size, op, pc);
      return;
    }
  }
  whole_access(address, size, op, pc, suspect);
}

Event* before_atomic(Op op, const void* address, uint32_t size, const void* pc) {
  if (!active()) return nullptr;
  ++block()->atomics;
  CallSite* at = call_site(pc, HookKind::kAtomic);
  if (lists_called() && !at->listed) list_called(at);
  Event* event = at->point && (!alone() || at->spins) ? access_event(op, address, size, at->site) : nullptr;
  if (op != Op::kFence && is_freed(address, size)) report_freed_use(address, size, op, pc);
  return event;
}

void after_atomic(const AtomicDone& done) {
  if (!active()) return;
  if (detecting()) race_atomic(done);
  if (done.event != nullptr) {
    set_value(done.event, done.value, done.size);
    if (done.failed) done.event->flags |= kFailed;
  }
  // A failed exchange only read, and so did one that put back what was there: loops around them spin.
  if (done.op == Op::kFence) return;
  if (done.op == Op::kAtomicLoad || done.failed) {
    const bool point = done.event != nullptr;
    if (!point && !may_wait()) return;
    const bool again = reads_again(reinterpret_cast<uintptr_t>(done.pc), done.address, done.value, point);
    if (again && done.event != nullptr) mark_spin(done.event);
    if (again && done.event == nullptr) spins_at(call_site(done.pc, HookKind::kAtomic));
  } else {
    saw_store();
  }
}

void function_entry(const void* call_site_pc, const void* pc) {
  if (!active()) return;
  ++block()->entries;
  if (detecting()) {
    race_enter(call_site_pc, __builtin_frame_address(0));
    if (is_settled(pc)) return;
  }
  CallSite* at = call_site(pc, HookKind::kEntry);
  if (lists_called() && !at->listed) list_called(at);
  if (at->point && !alone()) {
    Pending p{};
    p.op = Op::kFunctionEntry;
    p.site = at->site;
    point(p);
    return;
  }
  skipped(at);
}

void function_exit(const void* pc) {
  if (!active()) return;
  if (detecting()) {
    race_leave();
    if (is_settled(pc)) return;
  }
  skipped(call_site(pc, HookKind::kExit));
}

void annotate(const void* address, Annotation what) {
  if (active() && detecting()) annotated(address, what);
}

void annotate_ignore(int ignored, int more) {
  if (active() && detecting()) race_ignores(ignored, more);
}

void annotate_benign(const void* address, size_t size) {
  if (hooks_on()) race_is_benign(address, size);
}

}  // namespace heddle::rt
