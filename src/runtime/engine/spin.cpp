#include "runtime/engine/spin.h"

#include "runtime/base/placement.h"
#include "runtime/engine/thread.h"

namespace heddle::rt {

// So many rounds without news.
constexpr uint32_t kRounds = 3;

HEDDLE_APART Reads g_reads[kMaxThreads];

bool reads_again(uintptr_t pc, const void* address, uint64_t value, bool point) {
  Reads& r = g_reads[g_current->index];
  if (r.operations + (point ? 1 : 0) != g_current->operations || r.owner != g_current->id) {
    r.count = 0;
    r.owner = g_current->id;
  }
  r.operations = g_current->operations;
  g_watch.limit = 0;  // whatever comes, a round is open
  for (uint32_t i = 0; i < r.count; ++i) {
    const Reads::Read& read = r.reads[i];
    if (read.pc != pc || read.address != address) continue;
    if (read.value == value) return ++r.repeats >= kRounds * r.count;
    r.count = 0;
    break;
  }
  if (r.count == kRound) r.count = 0;
  r.reads[r.count++] = {pc, address, value};
  r.repeats = 0;
  return false;
}

void reads_idled(const ThreadSlot& thread) {
  Reads& r = g_reads[thread.index];
  if (r.owner == thread.id && r.operations + 1 == thread.operations) r.operations = thread.operations;
}

}  // namespace heddle::rt
