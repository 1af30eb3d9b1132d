#pragma once
// A run that computes and comes to no scheduling point: is it a loop that waits for another thread? Then the place of it is learnt, so that it can
// give way there.
#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "exec/channel.h"
#include "symbols/waiting_loop.h"

namespace heddle::exec {

class LoopWatch {
 public:
  LoopWatch(Channel& channel, pid_t pid);

  // To be asked now and then. The loop, if the run has not moved for a while and has been seen to wait in one.
  std::optional<CodePoint> look();
  // From now on the run gives way there; from which event on is noted in the point. False: that could not be done.
  bool install(CodePoint& point);
  // Where it is, for people.
  std::string place(const CodePoint& point) const;
  // It was last seen to wait where it cannot be made to give way. One that computes will come to its next point some time.
  bool waits_in_vain() const { return in_vain_; }

 private:
  bool ask(Inspection what, uint32_t steps);
  std::vector<CodeStep> steps(uint32_t wanted);

  Channel& channel_;
  pid_t pid_;
  CodeModules modules_;
  uint64_t progress_;
  uint64_t used_ms_;
  uint64_t patience_ms_ = kFirstPatience;
  uint32_t steps_ = 1000;
  bool in_vain_ = false;

  static constexpr uint64_t kFirstPatience = 80;  // of processor time
  static constexpr uint64_t kMostPatience = 5000;
};

// For people.
std::string gives_way_at(const std::string& place);

}  // namespace heddle::exec
