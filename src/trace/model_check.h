#pragma once
// Does the model, fed with the events of a run, say at every event what the runtime thought of every thread? (wire/ready_log.h)
#include <string>
#include <vector>

#include "trace/trace.h"

namespace heddle::trace {

struct ModelCheck {
  size_t events = 0;                     // compared
  size_t compared = 0;                   // threads at events
  size_t unknown = 0;                    // the model does not say, or was not asked
  std::vector<std::string> differences;  // the first few
  size_t different = 0;
};

ModelCheck check_model(const Trace& trace);

}  // namespace heddle::trace
