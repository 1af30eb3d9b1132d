#pragma once
#include <string>
#include <vector>

#include "exec/target.h"
#include "trace/plan.h"

namespace heddle::exec {

// A debugger on the program, which will follow the plan on kernel threads. `words`: the debugger and its options; how to start the
// program is added to them. The terminal is the debugger's. `files`: as they were recorded. Returns the debugger's wait status.
int run_in_gdb(const Target& target, const std::string& library, const Plan& plan, const std::vector<std::string>& words,
               const std::vector<RecordedFile>& files = {});

}  // namespace heddle::exec
