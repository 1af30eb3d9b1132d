#include "runtime/engine/names.h"

#include <link.h>
#include <string.h>

#include "runtime/base/check.h"
#include "runtime/base/instrumented.h"
#include "runtime/base/placement.h"
#include "runtime/base/sys.h"
#include "runtime/engine/due.h"
#include "runtime/engine/upward.h"
#include "wire/system_path.h"

namespace heddle::rt {

const void* g_called_from;
HEDDLE_APART SiteEntry g_site_names[kSiteCache];
NamedPlace g_named_places[kNamedPlaces];
uint64_t g_naming_era = 1;

namespace {

struct ModuleRange {
  uintptr_t low, high, bias;
};
HEDDLE_APART ModuleRange g_modules[kMaxModules];
uint32_t g_module_count;

struct ObjectEntry {
  const void* address;
  ObjectId id;
};
constexpr uint32_t kObjectTable = 1 << 17;
HEDDLE_APART ObjectEntry g_objects[kObjectTable];
uint32_t g_object_entries;
HEDDLE_APART uint32_t g_mapped[kMaxThreads];  // objects of unknown origin that each thread was the first to use
const void* const kForgotten = &g_objects;    // a tombstone: no object of the program lives there

ModuleRow* module_rows() { return reinterpret_cast<ModuleRow*>(g_run.slot + g_run.layout.modules); }

// The program, and libraries that are not the system's.
bool is_own_file(const char* path) {
  if (strstr(path, "libheddle-") != nullptr || strstr(path, "vgpreload_") != nullptr || strstr(path, "linux-vdso") != nullptr) return false;
  return !heddle_is_system_path(path);
}

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
  row.instrumented = imports_hooks(*info) || (g_watched && is_own_file(name)) ? 1 : 0;
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

// Names already in the trace's table. A full table means that later objects have names but no rows.
HEDDLE_APART ObjectId g_published[kMaxObjects * 2];

void publish(const ObjectRow& row) {
  auto at = static_cast<uint32_t>(row.id) % (kMaxObjects * 2);
  for (; g_published[at] != kNoObject; at = (at + 1) % (kMaxObjects * 2)) {
    if (g_published[at] == row.id) return;
  }
  if (g_run.header->object_count >= kMaxObjects) return;
  g_published[at] = row.id;
  auto* rows = reinterpret_cast<ObjectRow*>(g_run.slot + g_run.layout.objects);
  rows[g_run.header->object_count++] = row;
}

const ThreadSlot* stack_owner(const char* address) {
  const ThreadSlot* me = g_current;
  if (me != nullptr && address >= me->carrier.stack_low && address < me->carrier.stack_high) return me;
  for (uint32_t i = 0; i < g_live_count; ++i) {
    const ThreadSlot& t = g_threads[g_live[i].slot];
    if (address >= t.carrier.stack_low && address < t.carrier.stack_high) return &t;
  }
  return nullptr;
}

// What a thing is gives its name; only memory of unknown origin has to be remembered.
bool name_by_place(const void* address, ObjectRow* row) {
  const auto at = reinterpret_cast<uintptr_t>(address);
  *row = {kNoObject, 0, 0, 0, kNoSite, 0, at};
  ObjectKind kind = ObjectKind::kMapped;
  const HeapBlock block = kUpward.heap_block(address);
  if (block.start != 0) {
    kind = ObjectKind::kHeap;
    const ThreadSlot& allocator = g_threads[block.thread];
    row->a = allocator.index == block.thread && allocator.id != kNoThread ? allocator.id : kMainThread;
    row->b = block.number;
    row->offset = at - block.start;
    row->bytes = block.size;
  } else if (const uint32_t module = module_of(at); module != kNoIndex) {
    kind = ObjectKind::kGlobal;
    row->a = module;
    row->b = at - g_modules[module].bias;
  } else if (const ThreadSlot* owner = stack_owner(static_cast<const char*>(address))) {
    kind = ObjectKind::kStack;
    row->a = owner->id;
    row->b = static_cast<uint64_t>(owner->carrier.stack_high - static_cast<const char*>(address));
  }
  if (kind == ObjectKind::kMapped) return false;
  row->id = make_object(kind, row->a, row->b, row->offset);
  if (kind == ObjectKind::kHeap) row->site = site_of_low(block.pc - 1);
  // Where main's frame begins is known, so its locals can be told apart.
  if (kind == ObjectKind::kStack && row->a == kMainThread && g_threads[0].entry != nullptr)
    row->site = site_of(reinterpret_cast<const void*>(g_threads[0].entry));
  return true;
}

ObjectId name_by_use(const void* address) {
  const uint64_t a = g_current->id;
  const uint64_t b = ++g_mapped[g_current->index];
  const ObjectId id = make_object(ObjectKind::kMapped, a, b);
  publish({id, a, b, 0, kNoSite, 0, reinterpret_cast<uint64_t>(address)});
  return id;
}

}  // namespace

void name_modules() {
  const uint32_t before = g_module_count;
  dl_iterate_phdr(add_module, nullptr);
  if (g_module_count != before) kUpward.modules_changed();
}

const void* address_of(SiteId site) {
  const uint32_t module = site_module(site);
  if (module >= g_module_count) return nullptr;
  const uintptr_t at = g_modules[module].bias + site_offset(site);
  return at >= g_modules[module].low && at < g_modules[module].high ? reinterpret_cast<const void*>(at) : nullptr;
}

SiteId site_of_new(const void* pc) {
  const auto at = reinterpret_cast<uintptr_t>(pc);
  uint32_t module = module_of(at);
  if (module == kNoIndex) {
    name_modules();
    module = module_of(at);
  }
  const SiteId site = module == kNoIndex ? kNoSite : make_site(module, at - g_modules[module].bias);
  site_entry(pc) = {pc, site};
  return site;
}

bool is_in_module(const void* address) { return module_of(reinterpret_cast<uintptr_t>(address)) != kNoIndex; }

bool is_instrumented_code(const void* pc) {
  const uint32_t module = module_of(reinterpret_cast<uintptr_t>(pc));
  return module != kNoIndex && module_rows()[module].instrumented != 0;
}

const void* pc_of(SiteId site) {
  const unsigned module = site_module(site);
  if (site == kNoSite || module >= g_module_count) return nullptr;
  return reinterpret_cast<const void*>(g_modules[module].bias + site_offset(site) + 1);
}

SiteId site_of_low(uint32_t pc) {
  for (uint32_t i = 0; i < g_module_count; ++i) {
    const ModuleRange& m = g_modules[i];
    uintptr_t at = (m.low & ~uintptr_t{0xFFFFFFFF}) | pc;
    if (at < m.low) at += uintptr_t{1} << 32;
    if (at < m.high) return make_site(i, at - m.bias);
  }
  return kNoSite;
}

ObjectId object_of_new(const void* address) {
  if (address == nullptr) return kNoObject;
  ObjectRow row;
  if (name_by_place(address, &row)) {
    publish(row);
    named_place(address) = {address, g_naming_era, row.id};
    return row.id;
  }
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
    // Too much memory of unknown origin to tell its parts apart.
    if (g_object_entries >= kObjectTable - kObjectTable / 8) return make_object(ObjectKind::kMapped, 0, 0);
    ++g_object_entries;
    free_entry = at;
  }
  g_objects[free_entry] = {address, name_by_use(address)};
  return g_objects[free_entry].id;
}

ObjectId name_descriptor(int fd) {
  const ObjectId id = make_object(ObjectKind::kDescriptor, 0, static_cast<uint64_t>(fd));
  publish({id, 0, static_cast<uint64_t>(fd), 0, kNoSite, 0, 0});
  return id;
}

ObjectId pointee(uint64_t value) {
  ObjectRow row;
  if (value < 65536 || (value >> 47) != 0) return kNoObject;
  if (name_by_place(reinterpret_cast<const void*>(value), &row)) return row.id;
  // Where the kernel puts mappings by itself, a file's for instance. Which page it is depends on what else was mapped before.
  return (value >> 40) == 0x7F ? make_object(ObjectKind::kMapped, 0, value & 0xFFF) : kNoObject;
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
