#include "runtime/memory/library_access.h"

#include <string.h>

#include "runtime/base/placement.h"
#include "runtime/engine/names.h"
#include "runtime/memory/access_ring.h"

namespace heddle::rt {

namespace {

// One word a descriptor, of which only the address matters.
constexpr int kWatchedDescriptors = 4096;
HEDDLE_APART uint64_t g_descriptor_words[kWatchedDescriptors];

bool is_watched(int fd, const void* pc) { return detecting() && fd >= 0 && fd < kWatchedDescriptors && is_instrumented_code(pc); }

}  // namespace

void note_library_access(const void* address, size_t size, Op op, const void* pc) {
  if (size == 0 || address == nullptr || !is_instrumented_code(pc)) return;
  take_accesses();
  ring_access(address, size, has(op, kWrites));
  race_access(address, size, op, pc);
}

void library_reads_text(const char* text, const void* pc) {
  if (detecting() && text != nullptr) note_library_access(text, strlen(text) + 1, Op::kLoad, pc);
}

void library_writes_pieces(const iovec* pieces, size_t count, long bytes, const void* pc) {
  if (!detecting() || pieces == nullptr) return;
  for (size_t i = 0; i < count && bytes > 0; ++i) {
    const size_t n = pieces[i].iov_len < static_cast<size_t>(bytes) ? pieces[i].iov_len : static_cast<size_t>(bytes);
    note_library_access(pieces[i].iov_base, n, Op::kStore, pc);
    bytes -= static_cast<long>(n);
  }
}

void library_reads_pieces(const iovec* pieces, size_t count, const void* pc) {
  if (!detecting()) return;
  for (size_t i = 0; i < count; ++i) note_library_access(pieces[i].iov_base, pieces[i].iov_len, Op::kLoad, pc);
}

void descriptor_used(int fd, const void* pc) {
  if (is_watched(fd, pc)) race_access(&g_descriptor_words[fd], sizeof(uint64_t), Op::kLoad, pc);
}

void descriptor_closed(int fd, const void* pc) {
  if (!detecting() || fd < 0 || fd >= kWatchedDescriptors) return;
  if (is_instrumented_code(pc)) race_access(&g_descriptor_words[fd], sizeof(uint64_t), Op::kStore, pc);
  forget_accesses(reinterpret_cast<uintptr_t>(&g_descriptor_words[fd]), sizeof(uint64_t));
}

void descriptor_made(int fd, const void* pc) {
  if (!is_watched(fd, pc)) return;
  forget_accesses(reinterpret_cast<uintptr_t>(&g_descriptor_words[fd]), sizeof(uint64_t));
  race_access(&g_descriptor_words[fd], sizeof(uint64_t), Op::kStore, pc);
}

int descriptor_behind(const void* address) {
  const auto* word = static_cast<const uint64_t*>(address);
  const bool inside = word >= g_descriptor_words && word < g_descriptor_words + kWatchedDescriptors;
  return inside ? static_cast<int>(word - g_descriptor_words) : -1;
}

void memory_mapped(const void* address, size_t size, const void* pc) {
  constexpr size_t kExtent = 4096;
  if (!is_instrumented_code(pc)) return;
  forget_accesses(reinterpret_cast<uintptr_t>(address), size);
  // What was there before the second thread comes before all that others do.
  if (g_thread_count < 2) return;
  ring_access(address, size < kExtent ? size : kExtent, true);
  race_access(address, size < kExtent ? size : kExtent, Op::kStore, pc);
}

void sync_object_made(const void* object, const void* pc) {
  if (detecting() && is_instrumented_code(pc)) race_sync_access(object, true, pc);
}

}  // namespace heddle::rt
