#pragma once
// A schedule to paste into a bug report: "hd1:" and base64url of a compressed plan with the program's build id and a checksum.
#include <string>
#include <string_view>
#include <vector>

#include "trace/plan.h"

namespace heddle::store {

struct ReplayString {
  std::string build_id;              // of the program; empty if it has none
  std::vector<std::string> command;  // as given after --
  std::string kind, signature;       // of the failure to expect
  Plan plan;
};

inline constexpr std::string_view kReplayPrefix = "hd1:";
bool is_replay_string(std::string_view text);
std::string encode_replay(const ReplayString& replay);
// Total: throws Error with one sentence for a text that was cut, damaged or made by a later version.
ReplayString decode_replay(std::string_view text);

}  // namespace heddle::store
