#include "runtime/process/huge_pages.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/mappings.h"
#include "runtime/base/placement.h"
#include "runtime/base/sys.h"

namespace heddle::rt {

namespace {

constexpr uintptr_t kHuge = uintptr_t{2} << 20;
constexpr uintptr_t kPage = 4096;
constexpr int kCollapse = 25;  // MADV_COLLAPSE, Linux 6.1

// Half of it is in use: less would cost more memory than it saves time.
bool is_used(uintptr_t at) {
  unsigned char resident[kHuge / kPage];
  if (sys(SYS_mincore, at, kHuge, resident) != 0) return false;
  uintptr_t count = 0;
  for (const unsigned char page : resident) count += page & 1;
  return count >= kHuge / kPage / 2;
}

void collapse(uintptr_t low, uintptr_t high) {
  low = (low + kHuge - 1) & ~(kHuge - 1);
  for (; low + kHuge <= high; low += kHuge) {
    if (is_used(low)) sys(SYS_madvise, low, kHuge, kCollapse);
  }
}

// Private, writable and of no file: "offset device inode [name]" with the inode 0.
void collapse_mapping(const Mapping& m) {
  if (m.high - m.low < kHuge || m.is_reservation() || !m.writable() || !m.is_private() || m.flags[0] != 'r' || m.flags[2] != '-') return;
  const char* at = m.rest;
  for (int field = 0; field < 2; ++field) at = strchr(at, ' ') != nullptr ? strchr(at, ' ') + 1 : at;
  if (strtoull(at, nullptr, 10) == 0) collapse(m.low, m.high);
}

}  // namespace

void collapse_memory() {
  HEDDLE_APART static char text[1 << 16];
  for_each_mapping(text, collapse_mapping);
}

}  // namespace heddle::rt
