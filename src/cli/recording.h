#pragma once
// What `record` and `recover` share: a recording becomes a bug.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "cli/campaign.h"
#include "trace/trace.h"

namespace heddle::cli {

struct RecordArguments {
  CampaignOptions campaign;
  std::optional<uint64_t> seed;
  uint64_t quantum = 1000;
  bool always = false;
  bool until_failure = false;
  double checkpoint = 0;  // seconds between checkpoints; 0: none
  std::string keep;       // "10m", "2G"; empty: everything
};

// How a program was started, so that its recording can be made a bug after heddle itself was killed.
std::string start_text(const Target& target, const RecordArguments& options, const Input& input);
struct Started {
  std::vector<std::string> command;
  std::string build_id;
  RecordArguments options;
  std::shared_ptr<const Input> input;
};
Started parse_start(const std::string& text, const std::string& directory);

// Replays it once with its output caught: that says in words what failed, and whether it can be had again. Saves it as a bug, and says so.
// `checkpoints`: files, which become the bug's. `originals`: files that it read and that are no longer there.
void keep_recording(const Target& target, const RecordArguments& options, const std::shared_ptr<const Input>& input, const Trace& recorded,
                    const std::vector<std::string>& checkpoints, const std::vector<RecordedFile>& originals = {});

}  // namespace heddle::cli
