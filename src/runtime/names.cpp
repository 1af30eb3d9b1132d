#include "runtime/names.h"

#include <link.h>
#include <string.h>

#include "runtime/check.h"
#include "runtime/sys.h"

namespace heddle::rt {

namespace {

struct ModuleRange {
  uintptr_t low, high, bias;
};
ModuleRange g_modules[kMaxModules];
uint32_t g_module_count;

struct SiteEntry {
  const void* pc;
  SiteId site;
};
constexpr uint32_t kSiteCache = 4096;
SiteEntry g_sites[kSiteCache];

struct ObjectEntry {
  const void* address;
  ObjectId id;
};
constexpr uint32_t kObjectTable = 1 << 17;
ObjectEntry g_objects[kObjectTable];
uint32_t g_object_entries;
uint32_t g_mapped[kMaxThreads];   // objects of unknown origin that each thread was the first to use
const void* const kForgotten = &g_objects;   // a tombstone: no object of the program lives there

ModuleRow* module_rows() { return reinterpret_cast<ModuleRow*>(g_run.slot + g_run.layout.modules); }

int add_module(dl_phdr_info* info, size_t, void*) {
  uintptr_t low = UINTPTR_MAX;
  uintptr_t high = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    if (begin < low) low = begin;
    if (begin + segment.p_memsz > high) high = begin + segment.p_memsz;
  }
  for (uint32_t i = 0; i < g_module_count; ++i) {
    if (g_modules[i].low == low && g_modules[i].high == high) return 0;
  }
  if (g_module_count == kMaxModules || high == 0) return 0;
  g_modules[g_module_count] = {low, high, info->dlpi_addr};
  ModuleRow& row = module_rows()[g_module_count];
  row.bias = info->dlpi_addr;
  row.low = low - info->dlpi_addr;
  row.high = high - info->dlpi_addr;
  const char* name = info->dlpi_name != nullptr ? info->dlpi_name : "";
  if (g_module_count == 0 && name[0] == 0) {
    const long n = sys(SYS_readlink, "/proc/self/exe", row.path, sizeof row.path - 1);
    row.path[n > 0 ? n : 0] = 0;
  } else {
    strncpy(row.path, name, sizeof row.path - 1);
  }
  g_run.header->module_count = ++g_module_count;
  return 0;
}

uint32_t module_of(uintptr_t address) {
  for (uint32_t i = 0; i < g_module_count; ++i) {
    if (address >= g_modules[i].low && address < g_modules[i].high) return i;
  }
  return kNoIndex;
}

void publish(ObjectId id, uint64_t a, uint64_t b, const void* address) {
  if (g_run.header->object_count >= kMaxObjects) return;
  auto* rows = reinterpret_cast<ObjectRow*>(g_run.slot + g_run.layout.objects);
  rows[g_run.header->object_count++] = {id, a, b, 0, kNoSite, 0, reinterpret_cast<uint64_t>(address)};
}

ObjectId name_object(const void* address) {
  const auto at = reinterpret_cast<uintptr_t>(address);
  uint64_t a = 0;
  uint64_t b = 0;
  ObjectKind kind = ObjectKind::kMapped;
  const uint32_t module = module_of(at);
  if (module != kNoIndex) {
    kind = ObjectKind::kGlobal;
    a = module;
    b = at - g_modules[module].bias;
  } else {
    for (uint32_t i = 0; i < g_live_count && kind == ObjectKind::kMapped; ++i) {
      const ThreadSlot& t = g_threads[g_live[i]];
      if (address < t.stack_low || address >= t.stack_high) continue;
      kind = ObjectKind::kStack;
      a = t.id;
      b = static_cast<uint64_t>(t.stack_high - static_cast<const char*>(address));
    }
  }
  if (kind == ObjectKind::kMapped) {
    a = g_current->id;
    b = ++g_mapped[g_current->index];
  }
  const ObjectId id = make_object(kind, a, b);
  publish(id, a, b, address);
  return id;
}

}  // namespace

void name_modules() { dl_iterate_phdr(add_module, nullptr); }

SiteId site_of(const void* pc) {
  SiteEntry& entry = g_sites[(reinterpret_cast<uintptr_t>(pc) ^ (reinterpret_cast<uintptr_t>(pc) >> 12)) % kSiteCache];
  if (entry.pc == pc) return entry.site;
  const auto at = reinterpret_cast<uintptr_t>(pc);
  uint32_t module = module_of(at);
  if (module == kNoIndex) {
    name_modules();
    module = module_of(at);
  }
  const SiteId site = module == kNoIndex ? kNoSite : make_site(module, at - g_modules[module].bias);
  entry = {pc, site};
  return site;
}

ObjectId object_of(const void* address) {
  if (address == nullptr) return kNoObject;
  uint32_t at = static_cast<uint32_t>(mix(reinterpret_cast<uintptr_t>(address), 7)) % kObjectTable;
  uint32_t free_entry = kNoIndex;
  for (uint32_t probes = 0; probes < kObjectTable; ++probes) {
    ObjectEntry& entry = g_objects[at];
    if (entry.address == address) return entry.id;
    if (entry.address == kForgotten && free_entry == kNoIndex) free_entry = at;
    if (entry.address == nullptr) break;
    at = (at + 1) % kObjectTable;
  }
  if (free_entry == kNoIndex) {
    HEDDLE_CHECK(g_object_entries < kObjectTable - kObjectTable / 8);
    ++g_object_entries;
    free_entry = at;
  }
  g_objects[free_entry] = {address, name_object(address)};
  return g_objects[free_entry].id;
}

void forget_object(const void* address) {
  uint32_t at = static_cast<uint32_t>(mix(reinterpret_cast<uintptr_t>(address), 7)) % kObjectTable;
  for (uint32_t probes = 0; probes < kObjectTable; ++probes) {
    ObjectEntry& entry = g_objects[at];
    if (entry.address == nullptr) return;
    if (entry.address == address) {
      entry = {kForgotten, kNoObject};
      return;
    }
    at = (at + 1) % kObjectTable;
  }
}

}  // namespace heddle::rt
