#pragma once
// The Trace Event Format that Perfetto and chrome://tracing read: a track for each thread, an operation a step of the clock.
#include <string>

#include "report/formats.h"

namespace heddle::report {

std::string chrome_trace_text(const Story& story);

}  // namespace heddle::report
