#include "runtime/memory/functions.h"

#include <sys/mman.h>
#include <ucontext.h>

#include "runtime/base/memory_map.h"
#include "runtime/base/sys.h"
#include "runtime/engine/names.h"
#include "runtime/engine/run.h"
#include "runtime/memory/hooks.h"

namespace heddle::rt {

namespace {

using Byte = unsigned char;
constexpr Byte kBreakpoint = 0xCC;
constexpr uintptr_t kPage = 4096;

struct Entry {
  uintptr_t address;
  SiteId site;
  Byte byte;  // what stood there; kBreakpoint: it is back
};
Entry* g_entries;  // sorted by address, as far as modules are; found by a search in each sorted run
uint32_t g_entry_count;

// The text stays writable for the rest of the process: this run is for nothing but the count.
bool make_writable(uintptr_t address) {
  static uintptr_t last;
  const uintptr_t page = address & ~(kPage - 1);
  if (page == last) return true;
  if (sys(SYS_mprotect, page, kPage, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return false;
  last = page;
  return true;
}

// Sites are sorted by module and offset, so that the entries of one module lie together in the order of their addresses.
Entry* entry_at(uintptr_t address) {
  const SiteId site = site_of(reinterpret_cast<const void*>(address));
  uint32_t low = 0;
  uint32_t high = g_entry_count;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (g_entries[middle].site < site) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < g_entry_count && g_entries[low].site == site ? &g_entries[low] : nullptr;
}

}  // namespace

bool watching_functions() { return g_entry_count > 0; }

void watch_functions() {
  if (g_entries != nullptr) return;
  const uint32_t count = g_run.plan.header->site_count;
  g_entries = static_cast<Entry*>(map_zeroed(sizeof(Entry) * (count + 1)));
  if (g_entries == nullptr) return;
  for (uint32_t i = 0; i < count; ++i) {
    const SiteId site = g_run.plan.sites[i];
    auto* code = static_cast<Byte*>(const_cast<void*>(address_of(site)));
    if (code == nullptr || !make_writable(reinterpret_cast<uintptr_t>(code))) continue;
    g_entries[g_entry_count++] = {reinterpret_cast<uintptr_t>(code), site, *code};
    *code = kBreakpoint;
  }
}

bool function_entered(void* context) {
  auto& pc = static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP];
  Entry* entry = entry_at(static_cast<uintptr_t>(pc) - 1);
  if (entry == nullptr) return false;
  if (entry->byte != kBreakpoint) {
    *reinterpret_cast<Byte*>(entry->address) = entry->byte;
    entry->byte = kBreakpoint;
    list_site(entry->site);
  }
  --pc;
  return true;
}

}  // namespace heddle::rt
