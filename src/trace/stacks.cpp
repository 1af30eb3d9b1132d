#include "trace/stacks.h"

#include <algorithm>

namespace heddle::trace {

Stacks stacks_in(const Trace& trace) {
  Stacks stacks(trace.events().size());
  for (const RaceRow& row : trace.data().races) {
    if (row.count == 0 || row.count > stacks.size()) continue;
    stacks[row.count - 1].assign(row.first.stack, row.first.stack + std::min(row.first.stack_size, kRaceStack));
  }
  return stacks;
}

}  // namespace heddle::trace
