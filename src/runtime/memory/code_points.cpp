#include "runtime/memory/code_points.h"

#include <cpuid.h>
#include <string.h>
#include <ucontext.h>

#include "runtime/base/placement.h"
#include "runtime/base/program_text.h"
#include "runtime/base/sys.h"
#include "runtime/engine/names.h"
#include "runtime/engine/native.h"
#include "runtime/engine/scheduler.h"
#include "runtime/engine/state_hash.h"
#include "runtime/memory/access_ring.h"
#include "runtime/memory/code_access.h"
#include "runtime/memory/code_room.h"
#include "runtime/memory/heap.h"

namespace heddle::rt {

struct Displaced {
  uintptr_t address;  // first: displaced.S reads it
  SiteId site;
  uint64_t from;
  uintptr_t stub;  // its first instruction
  uintptr_t copy;
  CodePoint point;
  bool installed;
};

}  // namespace heddle::rt

// For displaced.S.
extern "C" __attribute__((visibility("hidden"))) void heddle_displaced();
extern "C" __attribute__((visibility("hidden"))) uint64_t heddle_vector_bytes;
extern "C" __attribute__((visibility("hidden"))) uint32_t heddle_vector_parts;
uint64_t heddle_vector_bytes = 576;
uint32_t heddle_vector_parts = 3;

namespace heddle::rt {

namespace {

constexpr Byte kBreak = 0xCC;
constexpr uint32_t kMostPoints = 4096;
// Passes of a loop between two at which it gives way, at most: to give way costs more than to look once more.
constexpr uint32_t kMostPatience = 1024;

HEDDLE_APART Displaced g_displaced[kMostPoints];
uint32_t g_displaced_count;
bool g_any_missing;  // of modules that are not loaded

// What lies before the code of a stub, as displaced.S counts it, and the code around the copy.
struct StubHead {
  const Displaced* what;
  void (*entry)();
};
constexpr uint64_t kStubHead = sizeof(StubHead) + sizeof kSkipRedZone + sizeof kCallEntry + 4;
static_assert(kStubHead == 27, "displaced.S finds the head there");
constexpr uint64_t kStubBytes = (kStubHead + sizeof kBackToRedZone + kMostCopied + 5 + 15) & ~uint64_t{15};
static_assert(kStubBytes <= kMostStubBytes);

bool write_stub(Displaced* d, uintptr_t room, uintptr_t bias) {
  const CodePoint& p = d->point;
  Emitter e(room);
  const StubHead head{d, heddle_displaced};
  e.bytes(&head, sizeof head);
  d->stub = e.here();
  e.bytes(kSkipRedZone, sizeof kSkipRedZone);
  e.bytes(kCallEntry, sizeof kCallEntry);
  if (!e.distance(room + offsetof(StubHead, entry))) return false;
  e.bytes(kBackToRedZone, sizeof kBackToRedZone);
  d->copy = e.here();
  const uint64_t copy = e.size();
  e.bytes(p.copy, p.copy_length);
  for (uint32_t i = 0; i < p.fix_count; ++i) {
    const CodePoint::Fix& f = p.fixes[i];
    if (f.end == 0) {
      e.address(copy + f.at, bias + f.target);
    } else if (!e.fill(copy + f.at, copy + f.end, bias + f.target)) {
      return false;
    }
  }
  if (p.leaves == 0) {
    const Byte jump = 0xE9;
    e.bytes(&jump, 1);
    if (!e.distance(d->address + p.length)) return false;
  }
  return write_text(reinterpret_cast<void*>(room), e.text(), static_cast<uint32_t>(e.size()));
}

bool is_sound(const CodePoint& p) {
  if (p.length == 0 || p.length > kMostOriginal || p.copy_length > kMostCopied || p.fix_count > kMostFixes || p.part_count > kMostParts)
    return false;
  for (uint32_t i = 0; i < p.fix_count; ++i) {
    const uint32_t bytes = p.fixes[i].end == 0 ? 8 : 4;
    if (p.fixes[i].at + bytes > p.copy_length || p.fixes[i].end > p.copy_length) return false;
  }
  const CodePoint::Operand& o = p.operand;
  if (o.base > 15 || o.index > 15 || o.with > 15) return false;
  return p.jump == 0 || p.length >= 5;
}

// To whoever watches the instructions that are executed. The stub counts as the instruction that it comes before, the jump behind the copy as the last.
void tell_copy(const Displaced& d) {
  const CodePoint& p = d.point;
  ring_copy(d.stub, d.copy, d.address);
  for (uint32_t i = 0; i < p.part_count; ++i) {
    const uintptr_t end = i + 1 < p.part_count ? d.copy + p.parts[i + 1].copy : d.stub - sizeof(StubHead) + kStubBytes;
    ring_copy(d.copy + p.parts[i].copy, end, d.address + p.parts[i].original);
  }
}

bool put_in(Displaced* d) {
  const CodePoint& p = d->point;
  auto* code = static_cast<Byte*>(const_cast<void*>(address_of(p.site)));
  if (code == nullptr) return false;
  d->address = reinterpret_cast<uintptr_t>(code);
  // Another build than the one that was decoded, or somebody else has written there.
  if (memcmp(code, p.original, p.length) != 0) return false;
  const uintptr_t room = take_room(d->address, kStubBytes);
  if (room == 0 || !write_stub(d, room, d->address - site_offset(p.site))) return false;
  Byte instead[5] = {kBreak};
  if (p.jump != 0) {
    if (!reaches(d->address + 5, d->stub)) return false;
    instead[0] = 0xE9;
    const auto distance = static_cast<int32_t>(d->stub - (d->address + 5));
    memcpy(instead + 1, &distance, 4);
  }
  d->installed = write_text(code, instead, p.jump != 0 ? 5 : 1);
  if (d->installed) tell_copy(*d);
  return d->installed;
}

void measure_vectors() {
  constexpr uint32_t kKept = 0xE7;  // x87, SSE, AVX and AVX-512
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & bit_OSXSAVE) == 0) return;
  unsigned low = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  heddle_vector_parts = low & kKept;
  for (unsigned i = 2; i < 8; ++i) {
    if ((heddle_vector_parts >> i & 1) == 0 || __get_cpuid_count(13, i, &a, &b, &c, &d) == 0) continue;
    if (b + a > heddle_vector_bytes) heddle_vector_bytes = b + a;
  }
  heddle_vector_bytes = (heddle_vector_bytes + 63) & ~uint64_t{63};
}

Displaced* add_point(const CodePoint& point) {
  if (g_displaced_count == kMostPoints || !is_sound(point)) return nullptr;
  if (g_displaced_count == 0) measure_vectors();
  for (uint32_t i = 0; i < g_displaced_count; ++i) {
    if (g_displaced[i].site == point.site) return &g_displaced[i];
  }
  Displaced* d = &g_displaced[g_displaced_count++];
  *d = {0, point.site, point.from, 0, 0, point, false};
  if (!put_in(d)) g_any_missing = g_any_missing || d->address == 0;
  return d;
}

InspectionBlock* inspection() { return reinterpret_cast<InspectionBlock*>(g_run.channel + g_run.layout.inspection); }

// --- What the tool asks.

bool g_stepping;
constexpr long long kTrapFlag = 0x100;

void answer(InspectionBlock* block) { __atomic_store_n(&block->reply, block->request, __ATOMIC_RELEASE); }

// In the order of their numbers in instructions.
constexpr int kOrder[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                            REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

// Keeps where the thread is; true while more is wanted.
bool keep_step(InspectionBlock* block, const gregset_t& registers) {
  const auto pc = static_cast<uintptr_t>(registers[REG_RIP]);
  if (block->step_count >= block->wanted_steps || block->step_count >= kMostSteps || is_own_code(pc)) return false;
  CodeStep& step = block->steps[block->step_count++];
  step.pc = pc;
  for (int i = 0; i < 16; ++i) step.registers[i] = static_cast<uint64_t>(registers[kOrder[i]]);
  return true;
}

void step_on(gregset_t& registers) {
  InspectionBlock* block = inspection();
  if (keep_step(block, registers)) {
    registers[REG_EFL] |= kTrapFlag;
    return;
  }
  registers[REG_EFL] &= ~kTrapFlag;
  g_stepping = false;
  answer(block);
}

void install_now(gregset_t& registers) {
  InspectionBlock* block = inspection();
  Displaced* d = add_point(block->point);
  flush_text();
  block->installed = d != nullptr && d->installed ? 1 : 0;
  block->steps[0].pc = g_run.step;  // from which event on, for the tool
  // A thread in the middle of what is now overwritten goes on in the copy.
  const auto pc = static_cast<uintptr_t>(registers[REG_RIP]);
  for (uint32_t i = 1; block->installed != 0 && i < d->point.part_count; ++i) {
    if (pc == d->address + d->point.parts[i].original) registers[REG_RIP] = static_cast<long long>(d->copy + d->point.parts[i].copy);
  }
  answer(block);
}

bool asked_by_tool(const siginfo_t* info, gregset_t& registers) {
  if (!g_run.attached || info->si_code != SI_TKILL) return false;
  InspectionBlock* block = inspection();
  if (__atomic_load_n(&block->request, __ATOMIC_ACQUIRE) == block->reply) return false;
  if (block->what == Inspection::kInstall) {
    install_now(registers);
    return true;
  }
  block->step_count = 0;
  site_of(reinterpret_cast<const void*>(registers[REG_RIP]));  // its module may be new to the table
  g_stepping = true;
  step_on(registers);
  return true;
}

bool at_breakpoint(gregset_t& registers) {
  const uintptr_t at = static_cast<uintptr_t>(registers[REG_RIP]) - 1;
  for (uint32_t i = 0; i < g_displaced_count; ++i) {
    const Displaced& d = g_displaced[i];
    if (d.address != at || !d.installed || d.point.jump != 0) continue;
    registers[REG_RIP] = static_cast<long long>(d.stub);
    return true;
  }
  return false;
}

}  // namespace

void install_code_points() {
  static bool done;
  if (done) return;
  done = true;
  for (uint32_t i = 0; i < g_run.plan.header->code_count; ++i) {
    add_point(g_run.plan.code[i]);
    g_code_accesses = g_code_accesses || g_run.plan.code[i].operand.size != 0;
  }
  flush_text();
}

void install_code_points_of_new_modules() {
  if (!g_any_missing) return;
  for (uint32_t i = 0; i < g_displaced_count; ++i) {
    if (g_displaced[i].address == 0) put_in(&g_displaced[i]);
  }
  flush_text();
}

void fault_in_code(void* context) {
  auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  const auto pc = static_cast<uintptr_t>(registers[REG_RIP]);
  for (uint32_t i = 0; i < g_displaced_count; ++i) {
    const Displaced& d = g_displaced[i];
    if (!d.installed || pc < d.copy || pc >= d.copy + d.point.copy_length) continue;
    for (uint32_t k = d.point.part_count; k-- > 0;) {
      if (pc < d.copy + d.point.parts[k].copy) continue;
      registers[REG_RIP] = static_cast<long long>(d.address + d.point.parts[k].original);
      return;
    }
  }
}

bool code_trap(const siginfo_t* info, void* context) {
  auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  if (g_stepping && info->si_code == TRAP_TRACE) {
    step_on(registers);
    return true;
  }
  return asked_by_tool(info, registers) || (info->si_code == SI_KERNEL && at_breakpoint(registers));
}

}  // namespace heddle::rt

using namespace heddle;
using namespace heddle::rt;

// A thread passes the place: is there more to be done than to go on? The vector registers are the program's here.
extern "C" __attribute__((visibility("hidden"), target("general-regs-only"))) bool heddle_pass_by(const Displaced* at) {
  if (!g_run.active || t_managed == 0 || g_native != 0 || g_run.step < at->from) return false;
  if (is_access(at->point)) return g_run.claimed;
  ThreadSlot* me = g_current;
  LoopPasses& l = me->loop;
  // One round of a loop is none yet that waits; whoever has done anything else has got on.
  if (l.operations != me->operations || l.patience == 0) {
    l = {me->operations, 0, 1};
    return false;
  }
  return ++l.passes >= l.patience;
}

extern "C" __attribute__((visibility("hidden"))) void heddle_code_point(const Displaced* at, const uint64_t* registers,
                                                                        const void* vectors) {
  ThreadSlot* me = g_current;
  me->live = {registers, vectors, static_cast<uint32_t>(heddle_vector_bytes)};
  if (is_access(at->point)) {
    access_of_code(at->point, registers, at->address - site_offset(at->site));
    me->live = {};
    return;
  }
  Pending p{};
  p.op = Op::kLoopIteration;
  p.site = at->site;
  if (Event* event = point(p)) {
    event->flags |= kSpin;
    me->gave_way = true;
    no_progress();
  }
  me->live = {};
  const uint32_t patience = me->loop.patience * 2;
  me->loop = {me->operations, 0, patience < kMostPatience ? patience : kMostPatience};
}
