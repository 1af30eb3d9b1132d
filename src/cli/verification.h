#pragma once
// Is a bug gone from another build? Its schedule is fitted to that build and replayed; the schedules around it are enumerated; all schedules within
// its bound are, where that can be done; and independent samples are drawn, of which a known share would have failed before.
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/anchoring.h"
#include "cli/progress.h"
#include "search/check.h"
#include "search/confidence.h"
#include "search/reanchored.h"
#include "trace/guarded.h"

namespace heddle::cli {

enum class VerifyVerdict { kFixed, kStillFails, kFailsDifferently, kCannotTell };
const char* name(VerifyVerdict verdict);

struct VerifyLimits {
  double seconds = 60;           // 0: no limit
  uint64_t around = 2'000;       // runs for the schedules around the anchors
  uint64_t enumerated = 20'000;  // for all schedules
  uint64_t before = 200;         // samples of the old build
  uint64_t sampled = 3'000;      // of the new one, at most
  uint64_t searched = 1'000;     // runs of the search
  bool only_anchors = false;  // the schedule and those around it, nothing more; then nothing is measured, and "fixed" says that those pass
  double miss = 0.01;         // the largest probability of having missed the bug that still counts as fixed
  uint64_t seed = 1;
  unsigned jobs = 0;
  std::string carrier;  // empty: as found
};

// What was done and what came of it, in the order in which it was done.
struct VerifyEvidence {
  std::string step;  // "replay", "around", "enumerated", "sampled", "searched"
  std::string words;
  uint64_t executions = 0;
  bool passed = true;
};

struct VerifyFailure {
  Trace trace;
  bool same = false;  // the bug's own failure
  std::string step;
  std::string words;
};

struct Verified {
  VerifyVerdict verdict = VerifyVerdict::kCannotTell;
  std::vector<std::string> reasons;  // why there is no verdict
  Reanchored anchors;
  std::vector<VerifyEvidence> evidence;
  std::optional<VerifyFailure> failure;
  // Enumerated: all schedules with at most so many preemptions, by the rules of `check`.
  std::optional<Certificate> certificate;
  bool proved = false;
  bool replacement_enumerated = false;  // those over what a plain build has in the place of the old code, if nothing else races
  // Sampled.
  uint64_t samples = 0;
  uint64_t samples_before = 0, failed_before = 0;
  bool before_known = false;  // measured on the old build; else from the run in which the search found the bug
  Proportion rate;            // of runs that fail, before
  double miss = 1, miss_low = 1, miss_high = 1;
  size_t instructions = 0;    // of a plain program, that are points
  bool code_is_there = true;  // some place of the schedule is in this build
  uint64_t executions = 0;
  double seconds = 0;

  bool sampled() const { return samples > 0 && rate.low > 0; }
};

Verified verify_build(const VerifySubject& subject, const Target& target, const VerifyLimits& limits, Progress& progress);

// Nothing failed: why that is too little to call it fixed.
std::string why_not_sure(const Verified& verified);
// One sentence for whoever reviews the change.
std::string sentence(const Verified& verified, const VerifySubject& subject);

}  // namespace heddle::cli
