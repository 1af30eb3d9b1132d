#pragma once
// Where the failure, or a value, of a saved run comes from: by one strict replay under the Valgrind tool, and a walk backwards through it.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/campaign.h"
#include "cli/results.h"
#include "exec/valgrind.h"
#include "trace/origin_lines.h"

namespace heddle::cli {

// The replay, with what was executed.
struct TracedRun {
  std::unique_ptr<BlockTraceFile> file;
  std::unique_ptr<BlockTrace> blocks;
  Trace run;            // the replay itself
  std::string why_not;  // it could not be had
  double seconds = 0;
};
// `detect`: what the replay is asked for besides.
TracedRun trace_blocks(Campaign& campaign, const Trace& failing, uint32_t detect = 0);

// What a failure asks for, and which threads were created when.
OriginQuestion about_failure(const Trace& failing);
std::vector<Birth> births_of(const Trace& trace);
std::vector<TornUpdate> torn_updates(const Trace& trace);

struct ValueQuestion {
  std::string expression;  // a variable, "file.c:12", or an address; empty: the failure
  uint64_t at = 0;         // before this event; 0: at the end
};

struct OriginReport {
  std::vector<OriginLine> lines;   // in the order of execution
  std::vector<OriginLine> writes;  // who wrote the variable that was asked for, in the order of execution
  std::string asked;               // what was asked for, in words
  std::string why_not;             // one sentence where there is no answer
  uint64_t blocks = 0, bytes = 0;
  size_t instructions = 0;
  bool cut = false;  // the run was too long, or the answer is
  double seconds = 0;

  bool found() const { return why_not.empty(); }
};
OriginReport origins_of(Campaign& campaign, const Trace& failing, const ValueQuestion& question);

// [{"file", "line", "thread", "value"}], and more; `from` are the rows that its value came from.
Json json_slice(const std::vector<OriginLine>& lines, const Trace& failing);

}  // namespace heddle::cli
