#pragma once
// A saved schedule under gdb: stops before the switch that decides, and knows where every thread stands.
#include <string>

#include "cli/campaign.h"
#include "cli/checkpoints.h"
#include "exec/target.h"
#include "trace/trace.h"

namespace heddle::cli {

struct GdbOptions {
  std::string commands;             // for gdb, separated by ';' and then the end; empty: the user's terminal
  std::vector<std::string> words;   // for gdb's own command line: -batch -ex bt
  uint64_t step = 0;                // stop at the first switch after so many operations
  std::vector<RecordedFile> files;  // shown to the program as they were recorded
};

// Returns gdb's exit code. Throws Error where gdb is missing.
int replay_in_gdb(const Target& target, const Plan& plan, const Trace& saved, const GdbOptions& options);

// The same from a checkpoint: gdb attaches to a process that was made of it, and to another one each time it goes back. All threads are fibers there, on
// one kernel thread.
int replay_in_gdb_from(const Campaign& campaign, const SavedCheckpoint& checkpoint, const Plan& plan, const Trace& saved,
                       const GdbOptions& options);

// The commands that gdb gets, in Python. `processes`: the file that names the process to attach to; empty: gdb starts the program itself.
std::string gdb_script(const Trace& saved, uint64_t step, const std::string& processes = "");

}  // namespace heddle::cli
