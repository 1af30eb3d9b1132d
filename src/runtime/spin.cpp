#include "runtime/spin.h"

#include "runtime/thread.h"

namespace heddle::rt {

namespace {

// Reads of one round of a loop; a loop that reads more is not taken for a wait.
constexpr uint32_t kRound = 6;
// So many rounds without news.
constexpr uint32_t kRounds = 3;

struct Read {
  uintptr_t pc;
  const void* address;
  uint64_t value;
};
struct Reads {
  uint32_t operations;  // of the thread, at its last read: any other operation since is news
  uint32_t count;
  uint32_t repeats;
  ThreadId owner;  // slots are used anew in another run of the same process image
  Read reads[kRound];
};
Reads g_reads[kMaxThreads];

}  // namespace

bool reads_again(uintptr_t pc, const void* address, uint64_t value, bool point) {
  Reads& r = g_reads[g_current->index];
  if (r.operations + (point ? 1 : 0) != g_current->operations || r.owner != g_current->id) {
    r.count = 0;
    r.owner = g_current->id;
  }
  r.operations = g_current->operations;
  for (uint32_t i = 0; i < r.count; ++i) {
    Read& read = r.reads[i];
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

bool reads_open() { return g_reads[g_current->index].count != 0; }

void reads_changed() { g_reads[g_current->index].count = 0; }

}  // namespace heddle::rt
