#include "runtime/engine/state_hash.h"

#include <fcntl.h>
#include <link.h>
#include <string.h>

#include "runtime/base/mappings.h"
#include "runtime/base/memory_map.h"
#include "runtime/base/placement.h"
#include "runtime/base/sys.h"
#include "runtime/engine/thread.h"

namespace heddle::rt {

namespace {

constexpr uintptr_t kStatePage = 4096;
constexpr uint64_t kMostHashed = 1 << 18;             // pages: a gigabyte takes a good part of a second
constexpr uintptr_t kMostAsked = uintptr_t{1} << 36;  // bytes of address space, written or not
constexpr uint32_t kMaxLeftOut = 2 * kMaxThreads;

HEDDLE_APART AddressRange g_left_out[kMaxLeftOut];
uint32_t g_left_out_count;
bool g_left_out_overflow;
HEDDLE_APART char g_maps_text[1 << 16];
HEDDLE_APART uint64_t g_page_entries[512];
AddressRange g_own_module;

int find_own_module(dl_phdr_info* info, size_t, void*) {
  const auto here = reinterpret_cast<uintptr_t>(&find_own_module);
  AddressRange whole{UINTPTR_MAX, 0};
  bool ours = false;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const uintptr_t low = info->dlpi_addr + segment.p_vaddr;
    const uintptr_t high = low + segment.p_memsz;
    ours = ours || (here >= low && here < high);
    if (low < whole.low) whole.low = low;
    if (high > whole.high) whole.high = high;
  }
  if (ours) g_own_module = {whole.low & ~(kStatePage - 1), (whole.high + kStatePage - 1) & ~(kStatePage - 1)};
  return ours ? 1 : 0;
}

// Shell's sort: the C library's own may allocate.
void sort_left_out() {
  for (uint32_t gap = g_left_out_count / 2; gap > 0; gap /= 2) {
    for (uint32_t i = gap; i < g_left_out_count; ++i) {
      const AddressRange moved = g_left_out[i];
      uint32_t at = i;
      for (; at >= gap && g_left_out[at - gap].low > moved.low; at -= gap) g_left_out[at] = g_left_out[at - gap];
      g_left_out[at] = moved;
    }
  }
}

void leave_out_own() {
  const AddressRange module = own_module();
  leave_out(module.low, module.high);
  uint32_t count = 0;
  const OwnMemory* own = own_memory(&count);
  for (uint32_t i = 0; i < count; ++i) leave_out(own[i].low, own[i].high);
  for (Chunk* c = g_first_chunk; c != nullptr; c = c->next) {
    const auto low = reinterpret_cast<uintptr_t>(c);
    leave_out(low, low + kChunkMapping);
  }
}

struct Walk {
  StateHash* hash;
  long pagemap;
  uint64_t hashed;
  uintptr_t asked;
  uint32_t next;  // of those left out
  const char* obstacle;
};

void hash_page(Walk* w, uintptr_t low, uintptr_t high) {
  StateHash page{low, high};
  uint64_t any = 0;
  for (const auto* at = reinterpret_cast<const uint64_t*>(low); at < reinterpret_cast<const uint64_t*>(high); ++at) {
    any |= *at;
    page.add(*at);
  }
  ++w->hashed;
  // As one that is not there yet: whether a page of zeros has been touched is no part of the state.
  if (any == 0) return;
  w->hash->add(page.a);
  w->hash->add(page.b);
}

// Pages of files that were not written are what the file is, and are not looked at.
void hash_range(Walk* w, uintptr_t low, uintptr_t high) {
  constexpr uint64_t kPresent = uint64_t{1} << 63, kSwapped = uint64_t{1} << 62, kOfFile = uint64_t{1} << 61;
  low = (low + 7) & ~uintptr_t{7};
  w->asked += high - low;
  if (w->asked > kMostAsked) w->obstacle = "its memory is too large to be compared";
  while (low < high && w->obstacle == nullptr) {
    const uintptr_t first = low & ~(kStatePage - 1);
    uintptr_t count = (high - first + kStatePage - 1) / kStatePage;
    if (count > 512) count = 512;
    const long n = sys(SYS_pread64, w->pagemap, g_page_entries, count * 8, first / kStatePage * 8);
    if (n <= 0) {
      w->obstacle = "its memory cannot be read";
      return;
    }
    for (long i = 0; i < n / 8; ++i) {
      const uintptr_t page = first + static_cast<uintptr_t>(i) * kStatePage;
      const uintptr_t end = page + kStatePage < high ? page + kStatePage : high;
      const uint64_t e = g_page_entries[i];
      const bool written = (e & kSwapped) != 0 || ((e & kPresent) != 0 && (e & kOfFile) == 0);
      if (written && low < end) hash_page(w, low, end);
      low = page + kStatePage;
    }
    if (w->hashed > kMostHashed) w->obstacle = "its memory is too large to be compared";
  }
}

void hash_mapping(Walk* w, const Mapping& m) {
  if (!m.writable() || w->obstacle != nullptr) return;
  if (!m.is_private()) {
    // Ours, and the one that a server and its children share, are of no file.
    const bool ours = strstr(m.rest, "heddle-channel") != nullptr || is_own_shared(m.low);
    if (!ours) w->obstacle = "memory is shared with other processes";
    return;
  }
  uintptr_t low = m.low;
  while (low < m.high) {
    while (w->next < g_left_out_count && g_left_out[w->next].high <= low) ++w->next;
    const bool out = w->next < g_left_out_count && g_left_out[w->next].low < m.high;
    const uintptr_t stop = out ? g_left_out[w->next].low : m.high;
    if (stop > low) hash_range(w, low, stop);
    if (!out) break;
    low = g_left_out[w->next].high;
  }
}

}  // namespace

AddressRange own_module() {
  if (g_own_module.high == 0) dl_iterate_phdr(find_own_module, nullptr);
  return g_own_module;
}

bool is_own_code(uintptr_t address) {
  const AddressRange module = own_module();
  return address >= module.low && address < module.high;
}

void leave_out(uintptr_t low, uintptr_t high) {
  if (low >= high) return;
  if (g_left_out_count == kMaxLeftOut) {
    g_left_out_overflow = true;
    return;
  }
  g_left_out[g_left_out_count++] = {low, high};
}

const char* hash_memory(StateHash* hash) {
  leave_out_own();
  sort_left_out();
  Walk walk{hash, sys(SYS_open, "/proc/self/pagemap", O_RDONLY | O_CLOEXEC, 0), 0, 0, 0, nullptr};
  if (walk.pagemap < 0 || g_left_out_overflow || !own_memory_is_known()) {
    walk.obstacle = "its memory cannot be read";
  } else if (!for_each_mapping(g_maps_text, [&](const Mapping& m) { hash_mapping(&walk, m); })) {
    walk.obstacle = "its memory cannot be read";
  }
  if (walk.pagemap >= 0) sys(SYS_close, walk.pagemap);
  g_left_out_count = 0;
  g_left_out_overflow = false;
  return walk.obstacle;
}

}  // namespace heddle::rt
