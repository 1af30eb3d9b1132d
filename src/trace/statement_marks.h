#pragma once
// What a run says about its statements (wire/iteration.h), read backwards from the stores of the runtime.
#include <cstddef>
#include <optional>

#include "trace/block_trace.h"
#include "wire/iteration.h"

namespace heddle::trace {

class StatementMarks {
 public:
  // `address`: where the run's StatementMark lies; 0: there is none.
  explicit StatementMarks(uint64_t address) : address_(address) {}

  // A step of a block, the last one first; a mark where it is complete.
  std::optional<StatementMark> look(const BlockRun& run, const BlockStep& step) {
    if (address_ == 0 || step.kind != kHeddleStore) return std::nullopt;
    const uint64_t at = run.address(step.access) - address_;
    if (at == offsetof(StatementMark, state)) mark_.state = run.value(step.access);
    if (at == offsetof(StatementMark, number)) mark_.number = run.value(step.access);
    if (at != offsetof(StatementMark, statement)) return std::nullopt;
    mark_.statement = run.value(step.access);
    return mark_;
  }

 private:
  uint64_t address_;
  StatementMark mark_{};
};

}  // namespace heddle::trace
