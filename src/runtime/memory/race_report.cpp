#include "runtime/memory/race_report.h"

#include <string.h>

#include "runtime/base/placement.h"
#include "runtime/engine/names.h"
#include "runtime/engine/run.h"
#include "runtime/memory/library_access.h"
#include "runtime/memory/race_clocks.h"

namespace heddle::rt {

namespace {

struct Reported {
  uint64_t key;
  uint32_t row;  // + 1
};
constexpr uint32_t kReportTable = 1 << 14;
HEDDLE_APART Reported g_reported[kReportTable];

uint64_t pair_key(uint64_t a, uint64_t b, RaceKind kind) { return mix(a < b ? mix(a, b) : mix(b, a), static_cast<uint64_t>(kind) + 1) | 1; }
uint64_t place(uint32_t pc, ContextId context) { return (uint64_t{pc} << 32) | call_of(context); }

Op op_of(uint32_t flags) {
  if ((flags & kCellFree) != 0) return Op::kFree;
  if ((flags & kCellAtomic) != 0) return (flags & kCellWrite) != 0 ? Op::kAtomicStore : Op::kAtomicLoad;
  return (flags & kCellWrite) != 0 ? Op::kStore : Op::kLoad;
}

void fill_side(RaceSide* side, uint32_t thread, Op op, size_t size, SiteId site, ContextId context) {
  side->thread = thread;
  side->op = op;
  side->size = static_cast<uint16_t>(size < 65535 ? size : 65535);
  side->site = site;
  describe(context, side);
}

struct Range {
  uintptr_t begin, end;
};
constexpr uint32_t kMaxBenign = 1024;
HEDDLE_APART Range g_benign[kMaxBenign];
uint32_t g_benign_count;

bool is_benign(const void* address) {
  const auto at = reinterpret_cast<uintptr_t>(address);
  for (uint32_t i = 0; i < g_benign_count; ++i) {
    if (at >= g_benign[i].begin && at < g_benign[i].end) return true;
  }
  return false;
}

}  // namespace

void report(const Remembered& old, const Access& a, ContextId context, const void* address, RaceKind kind) {
  // What a library of the system keeps for itself it protects by means that are not seen.
  if (g_watched && is_in_module(address) && !is_instrumented_code(address) && descriptor_behind(address) < 0) return;
  if (is_benign(address)) return;
  const auto pc = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(a.pc));
  const uint64_t key = pair_key(place(old.pc, context_of(old.place)), place(pc, context), kind);
  uint32_t at = static_cast<uint32_t>(key >> 32) % kReportTable;
  auto* rows = reinterpret_cast<RaceRow*>(g_run.slot + g_run.layout.races);
  for (; g_reported[at].key != 0; at = (at + 1) % kReportTable) {
    if (g_reported[at].key != key) continue;
    ++rows[g_reported[at].row - 1].count;
    return;
  }
  if (g_run.header->race_count >= kMaxRaces) return;
  RaceRow& row = rows[g_run.header->race_count];
  memset(&row, 0, sizeof row);
  row.kind = kind;
  row.count = 1;
  const int descriptor = descriptor_behind(address);
  row.object = descriptor >= 0 ? name_descriptor(descriptor) : object_of(address);
  const uint32_t log2 = old.place >> kSizeShift;
  const size_t size = old.size != 0        ? old.size
                      : log2 != kOtherSize ? size_t{1} << log2
                                           : static_cast<size_t>(__builtin_popcount(old.head & kCellMask));
  fill_side(&row.first, g_stamps[old.head >> kStampShift].thread, op_of(old.head), size, site_of_low(old.pc - 1), context_of(old.place));
  fill_side(&row.second, a.thread, a.op, a.size, caller_site(a.pc), context);
  g_reported[at] = {key, ++g_run.header->race_count};
}

void race_is_benign(const void* address, size_t size) {
  const auto begin = reinterpret_cast<uintptr_t>(address);
  if (g_benign_count < kMaxBenign) g_benign[g_benign_count++] = {begin, begin + size};
}

}  // namespace heddle::rt
