#pragma once
// Vector clocks over thread indices (Mattern 1989), in memory of our own. Entries beyond the size are 0.
#include <stdint.h>

namespace heddle::rt {

struct VectorClock {
  uint32_t* at;
  uint32_t size;

  uint32_t of(uint32_t thread) const { return thread < size ? at[thread] : 0; }
};

void set_entry(VectorClock* clock, uint32_t thread, uint32_t value);
void join(VectorClock* into, const VectorClock& from);
void assign(VectorClock* to, const VectorClock& from);
void clear(VectorClock* clock);

// Memory that is never given back: the run ends soon enough.
void* arena(uint64_t bytes);

}  // namespace heddle::rt
