#pragma once
// Of a recorded run: the connections and requests that the failure needs (simplify/requests.h).
#include <optional>

#include "cli/campaign.h"
#include "cli/dependences.h"
#include "cli/progress.h"
#include "store/reduction.h"

namespace heddle::cli {

struct RequestsLeft {
  std::optional<Trace> best;         // fails in the same way, and replays; nothing: nothing could be left out
  std::optional<InputsLeft> inputs;  // nothing: there are none
  std::string why_not;
  bool nothing_may_go = false;  // neither requests nor threads: what a file held at the start is not known
  bool by_dependence = false;   // what the graph said was tried
  size_t executions = 0;
  double seconds = 0;
  bool finished = true;
};

// `dependences`: of the failing run, where somebody has looked.
RequestsLeft leave_out_requests(Campaign& campaign, const Trace& failing, const Dependences* dependences, double seconds,
                                uint64_t executions, Progress& progress);
// For the record of a reduction that began with it.
void tell_requests(const RequestsLeft& left, const Trace& failing, ReductionRecord& reduction);

}  // namespace heddle::cli
