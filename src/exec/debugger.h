#pragma once
#include <functional>
#include <memory>
#include <string>

#include "exec/target.h"
#include "trace/checkpoint.h"
#include "trace/plan.h"

namespace heddle::exec {

// The run from one of its checkpoints on.
struct DebuggedRest {
  std::unique_ptr<CheckpointSource> source;
  Plan plan;
};
struct DebuggedRun {
  Plan plan;                        // from the start
  std::vector<RecordedFile> files;  // as they were recorded
  // If set, the run begins at a checkpoint, on fibers: at the last one that has at most so many events before it, as the debugger asks
  // (RestoreWords::first_event). Throws Error where there is none.
  std::function<DebuggedRest(uint64_t step)> rest;
  std::function<void(const char* sentence)> complain;
};

// A debugger on the program, which will follow the plan on kernel threads. `words`: the debugger and its options; how to start the
// program is added to them. The terminal is the debugger's. Returns the debugger's wait status.
int run_in_gdb(const Target& target, const std::string& library, const DebuggedRun& run, const std::vector<std::string>& words);

}  // namespace heddle::exec
