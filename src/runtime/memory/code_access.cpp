#include "runtime/memory/code_access.h"

#include <string.h>

#include "runtime/engine/names.h"
#include "runtime/engine/scheduler.h"
#include "runtime/memory/heap.h"
#include "runtime/memory/hooks.h"

namespace heddle::rt {

namespace {

using Operand = CodePoint::Operand;
// Nothing lies below: the program is about to crash there by itself.
constexpr uintptr_t kLowest = 0x10000;

uintptr_t address_from(const Operand& o, const uint64_t* registers, uintptr_t bias) {
  uintptr_t at = static_cast<uintptr_t>(o.displacement);
  if (o.base >= 0) at += registers[o.base];
  if (o.index >= 0) at += registers[o.index] * o.scale;
  switch (o.relative) {
    case CodePoint::Relative::kNothing: break;
    case CodePoint::Relative::kModule: at += bias; break;
    case CodePoint::Relative::kThread: at += reinterpret_cast<uintptr_t>(__builtin_thread_pointer()); break;
  }
  return at;
}

Op op_of(const Operand& o) {
  if (o.atomic == 0) return o.writes == 0 ? Op::kLoad : o.reads == 0 ? Op::kStore : Op::kLoadStore;
  if (o.exchange == CodePoint::Exchange::kIfEqual) return Op::kAtomicCas;
  return o.writes == 0 ? Op::kAtomicLoad : o.reads == 0 ? Op::kAtomicStore : Op::kAtomicRmw;
}

// Will it leave what is there? A compare-and-swap that finds another value, an exchange for the same one.
bool leaves_value(const Operand& o, const void* address, const uint64_t* registers) {
  const uint64_t expected[2] = {registers[0], registers[2]};
  const size_t size = o.size < sizeof expected ? o.size : sizeof expected;
  switch (o.exchange) {
    case CodePoint::Exchange::kNone: return false;
    case CodePoint::Exchange::kAlways: return o.with >= 0 && o.size <= 8 && memcmp(address, &registers[o.with], size) == 0;
    case CodePoint::Exchange::kIfEqual: return memcmp(address, expected, size) != 0;
  }
  return false;
}

// Only its first byte counts: what is read beyond the end of a block, as texts are, is not what the program means. Of a live block the mark at
// its start is gone.
void check_freed(const Operand& o, const void* address, uintptr_t pc) {
  const Block block = block_at(address);
  if (block.start == 0 || reinterpret_cast<uintptr_t>(address) - block.start >= block.header->size || !is_freed_slow(block.start, 1))
    return;
  report_freed_use(address, o.size, op_of(o), reinterpret_cast<const void*>(pc + 1));
}

// The call that is the run's last event.
struct EnteredCall {
  Event* event;
  const ThreadSlot* thread;
  uint64_t step;
};
EnteredCall g_entered;

void enter_call(SiteId site) {
  Pending p{};
  p.op = Op::kFunctionEntry;
  p.site = site;
  Event* event = point(p);
  g_entered = {event, g_current, g_run.step};
}

// An ordinary instruction that reads, changes and writes does so in steps: another core can write in between. Here it is a read, a point, and
// the write: the thread goes on with what it has read, whatever is there by then, since it gets that back just before its instruction.
bool is_read_and_write(const Operand& o) {
  return o.reads != 0 && o.writes != 0 && o.atomic == 0 && o.exchange == CodePoint::Exchange::kNone && o.size <= sizeof(uint64_t);
}

void read_and_write(const Operand& o, void* address, SiteId site, uintptr_t pc) {
  Event* event = access_event(Op::kLoad, address, o.size, site);
  if (event == nullptr || reinterpret_cast<uintptr_t>(address) < kLowest) return;
  check_freed(o, address, pc);
  uint64_t seen = 0;
  memcpy(&seen, address, o.size);
  read_done(event, pc, address, o.size);
  event = access_event(Op::kStore, address, o.size, site);
  if (event == nullptr) return;
  check_freed(o, address, pc);
  if (memcmp(&seen, address, o.size) != 0) memcpy(address, &seen, o.size);
  write_begins(event, address, o.size);
}

}  // namespace

void call_frees(uintptr_t start, size_t size) {
  if (g_entered.event == nullptr || g_entered.thread != g_current || g_entered.step != g_run.step) return;
  Event* event = g_entered.event;
  g_entered.event = nullptr;
  if (event->op != Op::kFunctionEntry) return;  // of a run before, in this process
  event->op = Op::kFree;
  event->object = object_of(reinterpret_cast<const void*>(start));
  event->size = static_cast<uint32_t>(size);
}

void access_of_code(const CodePoint& point, const uint64_t* registers, uintptr_t bias) {
  const Operand& o = point.operand;
  if (o.size == 0) {
    enter_call(point.site);
    return;
  }
  const uintptr_t at = address_from(o, registers, bias);
  const auto* address = reinterpret_cast<const void*>(at);
  if (is_read_and_write(o)) {
    read_and_write(o, const_cast<void*>(address), point.site, bias + site_offset(point.site));
    return;
  }
  const Op op = op_of(o);
  Event* event = access_event(op, address, o.size, point.site);
  if (event == nullptr || at < kLowest) return;
  check_freed(o, address, bias + site_offset(point.site));
  if (o.writes == 0) {
    read_done(event, bias + site_offset(point.site), address, o.size);
    return;
  }
  const bool only_read = leaves_value(o, address, registers);
  if (only_read && op == Op::kAtomicCas) event->flags |= kFailed;
  if (only_read) {
    read_done(event, bias + site_offset(point.site), address, o.size);
  } else if (o.with >= 0) {
    write_known(event, registers[o.with], o.size);
  } else {
    write_begins(event, address, o.size);
  }
}

}  // namespace heddle::rt
