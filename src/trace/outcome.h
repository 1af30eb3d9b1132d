#pragma once
#include <string>
#include <vector>

#include "wire/outcome.h"

namespace heddle::trace {

// The places of a use of freed memory or a double free; kNoSite and kNoThreadIndex where unknown.
struct FreedMemory {
  SiteId used = kNoSite;
  SiteId allocated = kNoSite;
  SiteId freed = kNoSite;
  uint32_t allocated_by = kNoThreadIndex;
  uint32_t freed_by = kNoThreadIndex;

  friend bool operator==(const FreedMemory&, const FreedMemory&) = default;
};

// How a run ended. A failing target is a value.
struct Outcome {
  OutcomeKind kind = OutcomeKind::kUnknown;
  int code = 0;               // exit code or signal number
  uint32_t thread = 0;        // index of the thread that ended the run
  std::string message;        // assertion text, exception, what diverged, ...
  std::vector<SiteId> stack;  // innermost first
  FreedMemory memory;         // kMisuse of freed memory

  friend bool operator==(const Outcome&, const Outcome&) = default;
};

// Is this outcome a failure of the program by the default rules (docs/design.md, Outcomes)? Outcomes that say nothing about
// the program (diverged, limit, cannot-control, external-wait) are neither failure nor pass.
bool is_failure(const Outcome& outcome, int expected_exit = 0);
bool is_inconclusive(const Outcome& outcome);

}  // namespace heddle::trace
