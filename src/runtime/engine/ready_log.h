#pragma once
// What was thought of each thread before each event, kept where the plan asks for it (wire/ready_log.h).
#include "runtime/engine/run.h"

namespace heddle::rt {

extern bool g_logging_ready;
void install_ready_log(bool wanted);
void log_ready();

}  // namespace heddle::rt
