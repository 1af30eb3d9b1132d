#include "runtime/memory/cycle_counter.h"

#include <emmintrin.h>
#include <link.h>
#include <string.h>

#include "runtime/base/placement.h"
#include "runtime/base/program_text.h"
#include "runtime/base/sys.h"
#include "runtime/engine/outside_influence.h"
#include "runtime/engine/run.h"
#include "runtime/memory/code_room.h"

extern "C" __attribute__((visibility("hidden"))) void heddle_read_counter();
extern "C" __attribute__((visibility("hidden"))) void heddle_modules_mapped();

namespace heddle::rt {

namespace {

// The counter makes a step a nanosecond of the run's clock, and a few at each read: a loop that waits for it ends.
constexpr uint64_t kTicksOfRead = 40;
constexpr uint64_t kFirstTick = uint64_t{1} << 40;
uint64_t g_counter;

// Modules whose code has been looked at. One that is unloaded is forgotten: another may come to its place.
struct Seen {
  uintptr_t bias;
  const void* headers;
  bool loaded;
};
constexpr uint32_t kMostModules = 1024;
HEDDLE_APART Seen g_seen[kMostModules];
uint32_t g_seen_count;

constexpr Byte kShiftHigh[] = {0x48, 0xC1, 0xE2, 0x20};  // shl $32, %rdx
constexpr Byte kClearAux[] = {0xB9, 0, 0, 0, 0};         // mov $0, %ecx

// How long is the instruction, if it is one that a compiler puts between the read and the shift, and that does the same elsewhere? From register to
// register, or an address on the stack.
uint32_t length_of_movable(const Byte* at) {
  const uint32_t prefix = (at[0] & 0xF0) == 0x40 ? 1 : 0;  // REX
  const Byte code = at[prefix];
  const Byte operands = at[prefix + 1];
  constexpr Byte kMove = 0x89, kMoveFrom = 0x8B, kXor = 0x31, kXorFrom = 0x33, kAddress = 0x8D;
  const bool on_registers = (operands & 0xC0) == 0xC0;
  if (code == kMove || code == kMoveFrom || code == kXor || code == kXorFrom) return on_registers ? prefix + 2 : 0;
  const bool on_stack = (operands & 0xC7) == 0x44 && at[prefix + 2] == 0x24;  // disp8(%rsp)
  return code == kAddress && on_stack ? prefix + 4 : 0;
}

// The read and the instructions behind it that have to go with it for a jump to have room: those of a compiler, which makes one number of two halves.
// Other bytes could be anything, and are left alone.
struct Read {
  uint32_t own = 0;  // 0: there is none
  uint32_t with = 0;
  bool movable = false;
};
constexpr int kLookedAt = 24;
constexpr uint32_t kMostMoved = 16;
bool shifts_soon(const Byte* at) {
  for (uint32_t i = 0; i + sizeof kShiftHigh <= kMostMoved; ++i) {
    if (memcmp(at + i, kShiftHigh, sizeof kShiftHigh) == 0) return true;
  }
  return false;
}

Read counter_read(const Byte* at, const Byte* end) {
  Read r;
  if (end - at < kLookedAt + 8) return r;
  const uint32_t own = at[1] == 0x31 ? 2 : at[1] == 0x01 && at[2] == 0xF9 ? 3 : 0;
  if (own == 0 || !shifts_soon(at + own)) return r;
  r.own = own;
  for (uint32_t length = 0; r.with < kMostMoved; r.with += length) {
    if (memcmp(at + own + r.with, kShiftHigh, sizeof kShiftHigh) == 0) {
      r.with += static_cast<uint32_t>(sizeof kShiftHigh);
      r.movable = true;
      break;
    }
    length = length_of_movable(at + own + r.with);
    if (length == 0) break;
  }
  return r;
}

bool divert(Byte* code, const Read& read) {
  constexpr uint64_t kStubBytes = 80;
  const auto address = reinterpret_cast<uintptr_t>(code);
  const uintptr_t room = take_room(address, kStubBytes);
  if (room == 0 || !reaches(address + 5, room + 8)) return false;
  Emitter e(room);
  const auto entry = reinterpret_cast<uintptr_t>(heddle_read_counter);
  e.bytes(&entry, sizeof entry);
  const uintptr_t stub = e.here();
  e.bytes(kSkipRedZone, sizeof kSkipRedZone);
  e.bytes(kCallEntry, sizeof kCallEntry);
  if (!e.distance(room)) return false;
  e.bytes(kBackToRedZone, sizeof kBackToRedZone);
  if (read.own == 3) e.bytes(kClearAux, sizeof kClearAux);
  e.bytes(code + read.own, read.with);
  e.bytes(&kJump, 1);
  if (!e.distance(address + read.own + read.with)) return false;
  if (!write_text(reinterpret_cast<void*>(room), e.text(), static_cast<uint32_t>(e.size()))) return false;
  Byte instead[5] = {kJump};
  const auto distance = static_cast<int32_t>(stub - (address + 5));
  memcpy(instead + 1, &distance, sizeof distance);
  return write_text(code, instead, sizeof instead);
}

template <typename Each>
void each_read(Byte* from, Byte* end, Each each) {
  const __m128i first = _mm_set1_epi8(0x0F);
  const __m128i second = _mm_set1_epi8(0x31);
  const __m128i other = _mm_set1_epi8(0x01);
  for (Byte* at = from; end - at > 32; at += 16) {
    const __m128i here = _mm_cmpeq_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at)), first);
    if (_mm_movemask_epi8(here) == 0) continue;
    const __m128i behind = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + 1));
    const __m128i both = _mm_and_si128(here, _mm_or_si128(_mm_cmpeq_epi8(behind, second), _mm_cmpeq_epi8(behind, other)));
    for (auto bits = static_cast<uint32_t>(_mm_movemask_epi8(both)); bits != 0; bits &= bits - 1) {
      Byte* const found = at + __builtin_ctz(bits);
      if (const Read read = counter_read(found, end); read.own != 0) each(found, read);
    }
  }
}

// All reads of a module, or none: two clocks in one computation would be worse than one that differs.
void divert_all(const dl_phdr_info& module) {
  const auto each_segment = [&](auto each) {
    for (int i = 0; i < module.dlpi_phnum; ++i) {
      const auto& segment = module.dlpi_phdr[i];
      if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
      constexpr uintptr_t kPage = 4096;  // the last one is mapped whole
      const uintptr_t begin = module.dlpi_addr + segment.p_vaddr;
      const uintptr_t end = (begin + segment.p_memsz + kPage - 1) & ~(kPage - 1);
      each_read(reinterpret_cast<Byte*>(begin), reinterpret_cast<Byte*>(end), each);
    }
  };
  uint32_t found = 0;
  bool all = true;
  each_segment([&](Byte*, const Read& read) {
    ++found;
    all = all && read.movable;
  });
  if (found == 0 || !all) return;
  each_segment([](Byte* code, const Read& read) { divert(code, read); });
}

// The C library, its loader and we ourselves have reads of their own, on which nothing of the program depends.
bool is_of_system(const char* path) {
  const char* name = strrchr(path, '/');
  name = name != nullptr ? name + 1 : path;
  constexpr const char* kOwn[] = {"libheddle-", "linux-vdso", "ld-linux", "libc.so", "vgpreload_"};
  for (const char* own : kOwn) {
    if (strncmp(name, own, strlen(own)) == 0) return true;
  }
  return false;
}

int look_at_module(dl_phdr_info* module, size_t, void*) {
  for (uint32_t i = 0; i < g_seen_count; ++i) {
    if (g_seen[i].bias != module->dlpi_addr || g_seen[i].headers != module->dlpi_phdr) continue;
    g_seen[i].loaded = true;
    return 0;
  }
  if (g_seen_count == kMostModules) return 0;
  g_seen[g_seen_count++] = {module->dlpi_addr, module->dlpi_phdr, true};
  if (is_of_system(module->dlpi_name != nullptr ? module->dlpi_name : "")) return 0;
  divert_all(*module);
  return 0;
}

void look_at_modules() {
  for (uint32_t i = 0; i < g_seen_count; ++i) g_seen[i].loaded = false;
  dl_iterate_phdr(look_at_module, nullptr);
  flush_text();
  uint32_t kept = 0;
  for (uint32_t i = 0; i < g_seen_count; ++i) {
    if (g_seen[i].loaded) g_seen[kept++] = g_seen[i];
  }
  g_seen_count = kept;
}

// The loader calls an empty function when it has mapped modules, and before their constructors run: debuggers stop there, and we look at them. Only where
// that function is what it is known to be: one instruction, and room behind it.
void hear_of_new_modules() {
  constexpr Byte kReturn = 0xC3;
  constexpr Byte kPadding[] = {0x66, 0x66, 0x2E, 0x0F, 0x1F, 0x84};
  auto* code = reinterpret_cast<Byte*>(_r_debug.r_brk);
  if (code == nullptr || code[0] != kReturn || memcmp(code + 1, kPadding, sizeof kPadding) != 0) return;
  const auto address = reinterpret_cast<uintptr_t>(code);
  const uintptr_t room = take_room(address, 16);
  if (room == 0 || !reaches(address + 5, room)) return;
  const auto entry = reinterpret_cast<uintptr_t>(heddle_modules_mapped);
  Byte stub[14] = {0xFF, 0x25, 0, 0, 0, 0};  // jmp *entry
  memcpy(stub + 6, &entry, sizeof entry);
  if (!write_text(reinterpret_cast<void*>(room), stub, sizeof stub)) return;
  Byte instead[5] = {kJump};
  const auto distance = static_cast<int32_t>(room - (address + 5));
  memcpy(instead + 1, &distance, sizeof distance);
  write_text(code, instead, sizeof instead);
  flush_text();
}

}  // namespace

void divert_counter_reads() {
  look_at_modules();
  hear_of_new_modules();
}

}  // namespace heddle::rt

using namespace heddle;
using namespace heddle::rt;

// The loader has changed what is loaded.
extern "C" void heddle_modules_mapped() {
  if (_r_debug.r_state == r_debug::RT_CONSISTENT && (g_run.active || g_run.early)) look_at_modules();
}

// For cycle_counter.S. The vector registers are the program's here.
extern "C" __attribute__((visibility("hidden"), target("general-regs-only"))) uint64_t heddle_counter() {
  const bool of_run = g_run.active || g_run.early;
  if (!of_run || g_influence_watched) {
    uint32_t low = 0;
    uint32_t high = 0;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));  // one who asks whether a loop repeats itself sees it by its fault
    if (!of_run) return (uint64_t{high} << 32) | low;
  }
  const uint64_t now = kFirstTick + g_run.clock;
  const uint64_t next = g_counter + kTicksOfRead;
  g_counter = now > next ? now : next;
  return g_counter;
}
