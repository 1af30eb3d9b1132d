#include "runtime/memory/quarantine.h"

#include <stdio.h>

#include "runtime/base/check.h"
#include "runtime/base/placement.h"
#include "runtime/engine/names.h"
#include "runtime/memory/heap.h"
#include "runtime/memory/heap_calls.h"

namespace heddle::rt {

namespace {

constexpr uint32_t kBlocks = 1 << 13;
constexpr size_t kBytes = size_t{32} << 20;

struct Freed {
  uintptr_t start;
  const void* pc;
  uint32_t thread;
};
HEDDLE_APART Freed g_freed[kBlocks];
uint32_t g_first, g_count;
size_t g_bytes;

const Freed* find(uintptr_t start) {
  for (uint32_t i = 0; i < g_count; ++i) {
    const Freed& f = g_freed[(g_first + i) % kBlocks];
    if (f.start == start) return &f;
  }
  return nullptr;
}

void let_go() {
  const uintptr_t start = g_freed[g_first].start;
  g_bytes -= (reinterpret_cast<const BlockHeader*>(start) - 1)->size;
  g_first = (g_first + 1) % kBlocks;
  --g_count;
  discard(start);
}

// The message is the same for every run of the same bug but for numbers; places and threads go beside it.
[[noreturn]] void report(const char* what, const Block& block, const void* pc) {
  OutcomeBlock& o = g_run.header->outcome;
  const Freed* freed = find(block.start);
  o.used = caller_site(pc);
  o.allocated = site_of_low(block.header->pc - 1);
  o.allocated_by = block.header->named != 0 ? static_cast<uint32_t>(block.header->thread) : kNoIndex;
  o.freed = freed != nullptr ? caller_site(freed->pc) : kNoSite;
  o.freed_by = freed != nullptr ? freed->thread : kNoIndex;
  end_run(OutcomeKind::kMisuse, 0, what);
}

}  // namespace

void enter_quarantine(uintptr_t start, const void* pc) {
  const size_t size = (reinterpret_cast<const BlockHeader*>(start) - 1)->size;
  while (g_count == kBlocks || (g_count > 0 && g_bytes + size > kBytes)) let_go();
  g_freed[(g_first + g_count++) % kBlocks] = {start, pc, g_current->index};
  g_bytes += size;
}

void report_double_free(const void* block, const void* pc) { report("double free", block_at(block), pc); }

void report_freed_use(const void* address, size_t size, Op op, const void* pc) {
  const auto at = reinterpret_cast<uintptr_t>(address);
  // The access may begin before the block and reach into it.
  Block block = block_at(address);
  for (size_t i = 1; i < size && !is_freed_slow(block.start, 1); ++i) block = block_at(static_cast<const char*>(address) + i);
  HEDDLE_CHECK(block.start != 0);
  char text[160];
  snprintf(text, sizeof text, "use of freed memory: %s %zu bytes at offset %ld of a block of %zu bytes",
           has(op, kWrites) ? "writes" : "reads", size, static_cast<long>(at - block.start), static_cast<size_t>(block.header->size));
  report(text, block, pc);
}

}  // namespace heddle::rt
