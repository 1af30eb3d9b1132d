#pragma once
// The snapshots that a worker's runs have left: processes that stand in the middle of a run, for plans that begin like it. Which to begin
// from, where to leave the next, which to give up.
#include <sys/types.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "exec/agreement.h"
#include "exec/channel.h"
#include "exec/streams.h"

namespace heddle::exec {

struct SnapshotOptions {
  bool enabled = true;
  // What a snapshot must save a run that begins from it. Below, the fork costs more than it gives.
  uint64_t least_gain_ns = 300'000;
  uint32_t most = kMaxServers - 1;
};

class Snapshots {
 public:
  Snapshots(SnapshotOptions options, Channel& channel, Streams& streams);

  // Where a run under `plan` begins. Puts the trace and the streams back to that point.
  struct Start {
    uint32_t row = 0;  // 0: the fork server
    uint64_t step = 0;
    uint64_t cursor = 0;
    std::vector<SnapshotOrder> orders;
  };
  Start begin(const Plan& plan);
  // The run is over.
  void observe(const Start& start, const Plan& plan, const Trace& trace, const std::string& out, const std::string& err, uint64_t ns);

  void give_up(uint32_t row);  // and all that came from it
  void give_up_all();
  size_t alive() const;
  uint64_t used() const { return used_; }  // runs that began from one

 private:
  struct Snapshot {
    pid_t pid = 0;  // 0: none
    uint64_t step = 0;
    uint64_t last_used = 0;
    uint32_t path = 0;  // rows that lie on the way to it, as bits, itself among them
    std::shared_ptr<const Executed> run;
    StreamState streams;
  };
  uint64_t gain(uint64_t events) const;
  std::optional<uint32_t> free_row(uint32_t keep);
  void order(const Plan& plan, Start* start, uint64_t shared);

  SnapshotOptions options_;
  Channel& channel_;
  Streams& streams_;
  std::array<Snapshot, kMaxServers> rows_;
  std::shared_ptr<const Executed> last_;
  uint32_t in_slot_ = 0;  // rows whose beginning the trace slot and the streams hold just now, as bits
  double event_ns_ = 0;   // what an event takes
  uint64_t clock_ = 0;
  uint64_t used_ = 0;
  uint32_t refused_ = 0;  // in a row
};

}  // namespace heddle::exec
