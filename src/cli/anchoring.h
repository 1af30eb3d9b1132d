#pragma once
// What a bug keeps so that it can be asked about in a later build: its anchors, and the program in which it was found.
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "cli/campaign.h"
#include "cli/session.h"
#include "store/replay_string.h"
#include "trace/anchors.h"

namespace heddle::cli {

// A few schedules besides the one that failed, with the calls that led to each event. `base` has no slices.
void each_other_schedule(Campaign& campaign, const Plan& base, const std::function<void(const Trace&)>& visit);
// With one more run, for the calls that led to each event; and a few, where only the source shows which names are used under a lock.
Anchors anchors_for(Campaign& campaign, const Trace& failing);
void save_anchors(const BugStore& store, const std::string& id, Campaign& campaign, const Trace& failing);
// With its anchors, if there are any.
ReplayString replay_string_of(const Bug& bug, const Trace& failing, const std::optional<Anchors>& anchors);
// Unless it is a script, or too large to keep.
void save_program(const BugStore& store, const std::string& id, const Target& target);

// A saved bug, or a replay string with anchors, as a question to another build.
struct VerifySubject {
  Bug bug;
  bool own = false;   // this user's heddle saved it
  std::string shown;  // how it is called in a sentence
  Anchors anchors;
  std::optional<Trace> failing;  // nothing of a string
  Plan plan;                     // strict, for the build of the bug itself
  Predicates predicates;
  std::shared_ptr<const Input> input;
  std::vector<RecordedFile> files;       // as they were when it failed
  std::vector<std::string> environment;  // that a suite sets for the test; nothing of a stranger's
  bool asks_peers = false;               // other processes sent something that cannot be had again in another build
};
// Throws Error with one sentence: no such bug, no anchors, a command of a stranger.
VerifySubject load_subject(const std::string& name);

// The program in which the bug was found, where it can still be run: at its old place, or from the copy that this user's heddle kept.
class OldBuild {
 public:
  explicit OldBuild(const VerifySubject& subject);
  OldBuild(const OldBuild&) = delete;
  OldBuild& operator=(const OldBuild&) = delete;
  ~OldBuild();

  const std::optional<Target>& target() const { return target_; }
  const std::string& why_not() const { return why_not_; }

 private:
  std::optional<Target> target_;
  std::string why_not_;
  std::string place_;  // a directory of ours, removed at the end
};

}  // namespace heddle::cli
