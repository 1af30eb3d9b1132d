#pragma once
// A saved schedule under gdb: stops before the switch that decides, and knows where every thread stands.
#include <string>

#include "exec/debugger.h"
#include "trace/trace.h"

namespace heddle::cli {

struct GdbOptions {
  std::string commands;                    // for gdb, separated by ';' and then the end; empty: the user's terminal
  std::vector<std::string> words;          // for gdb's own command line: -batch -ex bt
  uint64_t step = 0;                       // stop at the first switch after so many operations
  std::vector<uint64_t> checkpoints = {};  // events before each place where the run can begin instead of at its start
};

// Returns gdb's exit code. Throws Error where gdb is missing.
int replay_in_gdb(const Target& target, const exec::DebuggedRun& run, const Trace& saved, const GdbOptions& options);

// The commands that gdb gets, in Python.
std::string gdb_script(const Trace& saved, const GdbOptions& options);

}  // namespace heddle::cli
