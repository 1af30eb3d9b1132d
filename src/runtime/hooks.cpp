#include "runtime/hooks.h"

#include <string.h>

#include "runtime/call_sites.h"
#include "runtime/heap.h"
#include "runtime/memory_map.h"
#include "runtime/names.h"
#include "runtime/patch.h"
#include "runtime/race_clocks.h"
#include "runtime/races.h"
#include "runtime/scheduler.h"
#include "runtime/spin.h"

namespace heddle::rt {

uint8_t g_hooks;
OpenStore g_open_store;

namespace {

bool g_instrumented;
// A site that was executed so often without being a point is worth the price of rewriting it.
constexpr uint32_t kPatchAfter = 256;

HookBlock* block() { return reinterpret_cast<HookBlock*>(g_run.slot + g_run.layout.hooks); }

uint64_t value_at(const void* address, size_t size) {
  uint64_t value = 0;
  memcpy(&value, address, size < sizeof value ? size : sizeof value);
  return value;
}

void set_value(Event* event, uint64_t value, size_t size) {
  const ObjectId target = size == sizeof(void*) ? pointee(value) : kNoObject;
  if (target != kNoObject) event->flags |= kPointer;
  event->value = target != kNoObject ? target : value;
}

bool is_freed(const void* address, size_t size) {
  return chunk_at(reinterpret_cast<uintptr_t>(address)) != nullptr && is_freed_slow(reinterpret_cast<uintptr_t>(address), size);
}

// A hook's call that was no point. The detector wants to see every access, so that it keeps them all.
void skipped(CallSite* at) {
  if (g_detecting) return;
  if (++at->count < kPatchAfter || at->listed || at->spins || !g_run.claimed) return;
  at->listed = true;
  if (g_run.control->mode == Mode::kOnce) {
    patch_call(reinterpret_cast<const void*>(at->pc));
  } else {
    HookBlock* b = block();
    if (b->patch_count < kMaxPatches) b->patches[b->patch_count++] = at->pc;
  }
}

Event* access_point(Op op, const void* address, size_t size, const CallSite* at) {
  Pending p{};
  p.op = op;
  p.flags = size > 8 ? kWide : 0;
  p.size = static_cast<uint32_t>(size);
  p.address = address;
  p.object = object_of(address);
  p.site = at->site;
  return point(p);
}

// A loop that only reads, and reads the same again and again, waits for somebody else.
void mark_spin(Event* event) {
  event->flags |= kSpin;
  g_current->gave_way = true;
  no_progress();
}

}  // namespace

void saw_instrumentation() { g_instrumented = true; }
bool instrumented() { return g_instrumented; }

void install_hooks() {
  install_point_set(*g_run.plan.header, g_run.plan.sites);
  install_races((g_run.plan.header->detect & kDetectRaces) != 0);
  g_hooks = 1;
}

void settle_store() {
  Event* event = g_open_store.event;
  g_open_store.event = nullptr;
  set_value(event, value_at(g_open_store.address, g_open_store.size), g_open_store.size);
}

void access(const void* address, size_t size, Op op, const void* pc) {
  if (!active()) return;
  ++block()->accesses;
  CallSite* at = call_site(pc, HookKind::kPlain);
  if (!at->point) {
    if (is_freed(address, size)) report_freed_use(address, size, op, pc);
    if (detecting()) race_access(address, size, op, pc);
    // Also where accesses are no points a loop must not wait for ever for a thread that does not get to run.
    if (op == Op::kLoad && reads_again(at->pc, address, value_at(address, size), false)) {
      at->point = at->spins = true;
    } else {
      if (op != Op::kLoad) reads_changed();
      skipped(at);
      return;
    }
  }
  Event* event = access_point(op, address, size, at);
  if (is_freed(address, size)) report_freed_use(address, size, op, pc);
  if (detecting()) race_access(address, size, op, pc);
  if (op == Op::kLoad) {
    const uint64_t value = value_at(address, size);
    set_value(event, value, size);
    if (reads_again(at->pc, address, value, true)) mark_spin(event);
  } else {
    g_open_store = {event, address, static_cast<uint32_t>(size)};
    reads_changed();
  }
}

Event* before_atomic(Op op, const void* address, uint32_t size, const void* pc) {
  if (!active()) return nullptr;
  ++block()->atomics;
  CallSite* at = call_site(pc, HookKind::kAtomic);
  Event* event = at->point ? access_point(op, address, size, at) : nullptr;
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
    const bool again = reads_again(reinterpret_cast<uintptr_t>(done.pc), done.address, done.value, done.event != nullptr);
    if (again && done.event != nullptr) mark_spin(done.event);
    if (again && done.event == nullptr) {
      CallSite* at = call_site(done.pc, HookKind::kAtomic);
      at->point = at->spins = true;
    }
  } else {
    reads_changed();
  }
}

void function_entry(const void* call_site_pc, const void* pc) {
  if (!active()) return;
  ++block()->entries;
  if (detecting()) race_enter(call_site_pc, __builtin_frame_address(0));
  CallSite* at = call_site(pc, HookKind::kEntry);
  if (at->point) {
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
  if (detecting()) race_leave();
  skipped(call_site(pc, HookKind::kExit));
}

void annotate(const void* address, Op op) {
  if (active() && detecting()) annotated(address, op == Op::kMutexLock);
}

}  // namespace heddle::rt
