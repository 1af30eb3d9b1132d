#pragma once
// The process's own address space, as /proc/self/maps tells it.
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/sys.h"

namespace heddle::rt {

inline constexpr uintptr_t kReservation = uintptr_t{1} << 36;

struct Mapping {
  uintptr_t low, high;
  const char* flags;  // "rw-p"
  const char* rest;   // offset, device, inode and name
  bool writable() const { return flags[1] == 'w'; }
  bool is_private() const { return flags[3] == 'p'; }
  // Address space rather than memory, of which little is in use: a sanitizer's shadow, a garbage collector's heap. Nobody can go through it
  // page by page.
  bool is_reservation() const { return high - low > kReservation; }
};

// Calls each(mapping) for one after the other. `text`: room for a line and more. False: it could not be read.
template <size_t kRoom, typename Each>
bool for_each_mapping(char (&text)[kRoom], Each each) {
  const long file = sys(SYS_open, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
  if (file < 0) return false;
  size_t kept = 0;
  long n;
  while ((n = sys(SYS_read, file, text + kept, kRoom - 1 - kept)) > 0) {
    const size_t end = kept + static_cast<size_t>(n);
    text[end] = 0;
    char* line = text;
    for (char* stop; (stop = strchr(line, '\n')) != nullptr; line = stop + 1) {
      *stop = 0;
      char* at = nullptr;
      Mapping m{};
      m.low = strtoull(line, &at, 16);
      m.high = strtoull(at + 1, &at, 16);
      m.flags = at + 1;
      m.rest = at + 6;
      each(m);
    }
    kept = static_cast<size_t>(text + end - line);
    memmove(text, line, kept);
  }
  sys(SYS_close, file);
  return n == 0;
}

// The parts of a reservation that are in use: each(low, high). Linux 6.7 can tell (PAGEMAP_SCAN); false: this one cannot.
template <typename Each>
bool for_each_part_in_use(long pagemap, uintptr_t low, uintptr_t high, Each each) {
  struct Region {
    uint64_t start, end, categories;
  };
  struct Scan {
    uint64_t size, flags, start, end, walk_end, regions, region_count, max_pages, inverted, mask, any, wanted;
  };
  constexpr unsigned long kScan = 0xC0606610;   // _IOWR('f', 16, Scan)
  constexpr uint64_t kInUse = 1 << 3 | 1 << 4;  // present, swapped
  Region regions[64];
  while (low < high) {
    Scan scan{};
    scan.size = sizeof scan;
    scan.start = low;
    scan.end = high;
    scan.regions = reinterpret_cast<uintptr_t>(regions);
    scan.region_count = 64;
    scan.any = scan.wanted = kInUse;
    const long n = sys(SYS_ioctl, pagemap, kScan, &scan);
    if (n < 0 || scan.walk_end <= low) return false;
    for (long i = 0; i < n; ++i) each(regions[i].start, regions[i].end);
    low = scan.walk_end;
  }
  return true;
}

}  // namespace heddle::rt
