#include "runtime/huge_pages.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/placement.h"
#include "runtime/sys.h"

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

// "low-high rw-p offset device inode [name]": private, writable and of no file.
void collapse_line(const char* line) {
  char* end = nullptr;
  const uintptr_t low = strtoull(line, &end, 16);
  if (*end != '-') return;
  const uintptr_t high = strtoull(end + 1, &end, 16);
  if (high - low < kHuge || strncmp(end, " rw-p", 5) != 0) return;
  const char* at = end + 5;
  for (int field = 0; field < 2; ++field) at = strchr(at + 1, ' ') != nullptr ? strchr(at + 1, ' ') : at;
  if (strtoull(at, nullptr, 10) == 0) collapse(low, high);
}

}  // namespace

void collapse_memory() {
  HEDDLE_APART static char text[1 << 16];
  const long file = sys(SYS_open, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
  if (file < 0) return;
  size_t kept = 0;
  long n;
  while ((n = sys(SYS_read, file, text + kept, sizeof text - 1 - kept)) > 0) {
    const size_t end = kept + static_cast<size_t>(n);
    text[end] = 0;
    char* line = text;
    for (char* stop; (stop = strchr(line, '\n')) != nullptr; line = stop + 1) {
      *stop = 0;
      collapse_line(line);
    }
    kept = static_cast<size_t>(text + end - line);
    memmove(text, line, kept);
  }
  sys(SYS_close, file);
}

}  // namespace heddle::rt
