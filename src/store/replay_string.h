#pragma once
// A schedule to paste into a bug report: "hd2:" and base64url of a compressed plan with the program's build id, the anchors of the schedule in the
// source and a checksum. "hd1:" has no anchors.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/anchors.h"
#include "trace/plan.h"

namespace heddle::store {

struct ReplayString {
  std::string build_id;              // of the program; empty if it has none
  std::vector<std::string> command;  // as given after --
  std::string kind, signature;       // of the failure to expect
  Plan plan;
  // hd2: where the schedule is in the source, and what a failure is; empty in one without anchors.
  std::optional<Anchors> anchors;
  int expect_exit = 0;
  std::optional<std::string> expect_stdout, fails_if_output, ctest_rule;
  uint64_t find_executions = 0;  // runs of the search until it failed; 0 if that is not known
};

inline constexpr std::string_view kPlainReplayPrefix = "hd1:";
inline constexpr std::string_view kReplayPrefix = "hd2:";
bool is_replay_string(std::string_view text);
// With anchors as hd2:, without as hd1:.
std::string encode_replay(const ReplayString& replay);
// Total: throws Error with one sentence for a text that was cut, damaged or made by a later version.
ReplayString decode_replay(std::string_view text);

}  // namespace heddle::store
