#pragma once
// The checkpoints that a recorded bug has, and replays that begin at one of them.
#include <optional>
#include <string>
#include <vector>

#include "cli/campaign.h"
#include "store/checkpoint_file.h"

namespace heddle::cli {

struct SavedCheckpoint {
  std::string path;
  uint64_t step = 0;     // events before it
  uint64_t real_ms = 0;  // since the program was started
  uint64_t pause_us = 0;
  std::string digest;  // of the file: what it holds is executed
};

// Takes the files from a recording of so many events. Those that are not whole stay away, with a sentence, and so does one that nothing follows: where
// heddle was killed, the last events may not have been written.
void save_checkpoints(const Bug& bug, const std::vector<std::string>& paths, uint64_t end);
// Of a bug that this user's heddle wrote; in order.
std::vector<SavedCheckpoint> checkpoints_of(const Bug& bug);

// Where a replay begins: after so many events, or so long after the program was started ("90s", "2m", "1500ms").
struct Moment {
  std::optional<uint64_t> event;
  std::optional<uint64_t> ms;
};
Moment parse_moment(const char* option, const std::string& text);  // throws a usage error
// The last one at or before it; nullptr: none is.
const SavedCheckpoint* last_before(const std::vector<SavedCheckpoint>& all, const Moment& moment);
// A whole sentence's worth: the recording has lost what came before its first checkpoint.
const SavedCheckpoint& first_of(const std::vector<SavedCheckpoint>& all, const Trace& saved);

// Throws Error where it is missing, or is not as it was written.
void check_checkpoint(const SavedCheckpoint& checkpoint);

// The run's events after its first `step`.
Trace tail_of(const Trace& trace, uint64_t step);
// The rest of the run, in a process that begins as the checkpoint. `plan`: of tail_of(trace, step). Throws Error where the checkpoint cannot be used.
RunResult run_from(const Campaign& campaign, const SavedCheckpoint& checkpoint, const Plan& plan);

// What was written after a checkpoint has to be the end of what the whole run wrote. As output_difference.
std::string tail_difference(const Output& whole, const Output& tail);

}  // namespace heddle::cli
