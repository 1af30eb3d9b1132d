#pragma once
// Checkpoints of a run that is recorded: asked for every so many seconds, and read from the copy that the run leaves (wire/checkpoint.h).
#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "exec/channel.h"
#include "trace/checkpoint.h"

namespace heddle::exec {

// Reads a copy of a process into the sink. `checkpoint` has all but the mappings.
void read_copy(pid_t copy, Checkpoint checkpoint, CheckpointSink& sink);

class Checkpoints {
 public:
  Checkpoints(Channel& channel, StreamSink& sink, std::chrono::milliseconds every);
  ~Checkpoints();
  Checkpoints(const Checkpoints&) = delete;
  Checkpoints& operator=(const Checkpoints&) = delete;

  // Called every few milliseconds while the program runs.
  void look();
  // The program has ended: what is being written is written to its end.
  void finish();
  // Why there was none, or not every time; empty: nothing to say.
  const std::string& complaint() const { return complaint_; }

 private:
  enum class Stage { kIdle, kAsked, kReading };
  void ask();
  void answered();
  void reap();

  Channel& channel_;
  StreamSink& sink_;
  std::chrono::milliseconds every_;
  std::chrono::steady_clock::time_point begun_, last_;
  Stage stage_ = Stage::kIdle;
  std::unique_ptr<CheckpointSink> file_;
  std::thread reader_;
  std::atomic<bool> read_ = false;
  std::string failure_;  // of the reader
  std::string complaint_;
};

}  // namespace heddle::exec
