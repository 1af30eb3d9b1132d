#include "trace/stacks.h"

#include <algorithm>

namespace heddle::trace {

Stacks stacks_in(const Trace& trace) {
  // They are kept of the first few thousand events only.
  uint32_t last = 0;
  for (const RaceRow& row : trace.data().races) last = row.count <= trace.events().size() ? std::max<uint32_t>(last, row.count) : last;
  Stacks stacks(last);
  for (const RaceRow& row : trace.data().races) {
    if (row.count == 0 || row.count > stacks.size()) continue;
    stacks[row.count - 1].assign(row.first.stack, row.first.stack + std::min(row.first.stack_size, kRaceStack));
  }
  return stacks;
}

}  // namespace heddle::trace
