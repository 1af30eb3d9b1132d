#pragma once
// One worker: `Plan -> Trace` on a real program. A fork server stops before the program's first thread; starting it, feeding it,
// watching it and replacing it are hidden here.
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "exec/channel.h"
#include "exec/deadline.h"
#include "exec/file_view.h"
#include "exec/judge.h"
#include "exec/process.h"
#include "exec/snapshots.h"
#include "exec/streams.h"
#include "exec/target.h"
#include "trace/checkpoint.h"
#include "trace/executor.h"
#include "trace/trace.h"

namespace heddle::exec {

inline constexpr uint64_t kMostOutput = uint64_t{256} << 20;

struct RunnerOptions {
  std::string library;  // libheddle-rt.so
  Carrier carrier = Carrier::kFiber;
  std::shared_ptr<const Input> input;  // what every run reads
  std::shared_ptr<const Judge> judge;
  bool serve = true;                        // false: a fresh process for each run
  bool reuse = true;                        // false: a fork for each, where it serves
  SnapshotOptions snapshots;                // in the middle of runs; only where it serves, on fibers
  std::vector<RecordedFile> files;          // shown as they were recorded
  std::shared_ptr<const InputLog> inputs;   // what other processes sent, where a plan brings no log of its own
  bool real_files = false;                  // runs write the user's own files: nothing is kept apart
  int core = -1;                            // its runs are pinned to it
  const std::atomic<bool>* stop = nullptr;  // set by Ctrl-C: the run under way is given up
  uint64_t most_output = kMostOutput;       // bytes that a run may print: they are kept in memory
  const Deadline* deadline = nullptr;       // so it is when this is over
};

struct RunResult {
  Trace trace;
  Output output;
};

class LoopWatch;

class Runner {
 public:
  Runner(Target target, RunnerOptions options);
  ~Runner();

  RunResult run(const Plan& plan);
  // In a process that begins as the checkpoint; the plan's slices are those that follow it.
  RunResult run_from(CheckpointSource& source, const Plan& plan);
  Execute as_function() {
    return [this](const Plan& plan) { return run(plan).trace; };
  }

  // How many runs began in the middle.
  uint64_t runs_from_snapshots() const { return from_snapshots_ + (snapshots_ ? snapshots_->used() : 0); }

  // How many had no process forked for them.
  uint64_t runs_without_fork() const { return channel_ ? channel_->servers().without_fork : 0; }

  uint32_t last_mark() const { return channel_ ? channel_->servers().mark : 0; }

  // What the user should know about how runs are made: no threads, addresses not fixed...
  const std::vector<std::string>& notes() const { return notes_; }
  bool threadless() const { return threadless_; }

 private:
  enum class Wait { kDone, kDead, kWatchdog, kPrints, kLoop };

  void start(const Plan& plan, Mode mode, const Checkpoint* checkpoint = nullptr);
  RunResult attend_to_end(const Plan& plan);
  void stay_with_runs();
  void go_anywhere();
  void stop_serving();
  bool await_ready();
  std::optional<RunResult> run_served(const Plan& plan);
  Plan with_inputs(const Plan& plan);
  static bool is_of_recording(const Plan& plan);
  RunResult run_as_is(const Plan& plan);
  RunResult run_with_twins(const Plan& plan);
  RunResult run_once(const Plan& plan);
  RunResult finish(const Plan& plan, int wait_status, std::optional<Outcome> instead = std::nullopt);
  Wait await_reply(const Plan& plan, uint32_t row);
  Wait await_end(const Plan& plan);
  bool waits_in_loop(std::optional<LoopWatch>& loops, pid_t run);
  bool server_alive();
  void take_view();
  void fresh_files();
  bool prints_too_much() const { return streams_->size() > options_.most_output; }
  // Why a run that is not done was ended.
  Outcome ended_by_us(Wait wait, const Plan& plan, pid_t pid) const;
  // Throws when nobody waits for the run any more.
  void give_up_if_asked();
  int look_ms() const;  // how long to wait before looking whether it does
  bool stopped() const { return options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed); }
  void note(const std::string& text);

  Target target_;
  RunnerOptions options_;
  std::vector<std::string> notes_;
  bool threadless_ = false;

  // The server, or the one process of a fresh start.
  std::unique_ptr<Channel> channel_;
  std::unique_ptr<Streams> streams_;
  std::unique_ptr<FileView> view_;  // of this worker's runs; outlives the process in it
  bool view_asked_ = false;
  std::unique_ptr<Process> process_;
  std::unique_ptr<Snapshots> snapshots_;
  uint64_t from_snapshots_ = 0;  // of servers that are gone
  bool serving_ = false;
  std::vector<int> cores_;                             // where the thread that runs may be otherwise; empty while it may be there
  bool replaying_ = false;                             // the last plan was a strict one
  std::optional<CodePoint> loop_;                      // in which the run was seen to wait
  std::shared_ptr<const InputLog> recorded_, played_;  // the last log that a run of another schedule was given, and as its peers say it
  Plan served_;                                        // whose point set, environment and input the server was started with
};

// The transparent run of `heddle run`: the program's streams, process group and exit code are its own.
struct PlainRun {
  Trace trace;
  int wait_status = 0;
  std::vector<std::string> notes;
  uint64_t events = 0;        // that count, of those given to the sink
  std::string not_recorded;   // why the sink took no more
  std::string no_checkpoint;  // why there was none, the last time
};
// How long may a thread compute without a scheduling point? As long as it likes, if it is not seen to wait for another one; or no longer than
// the plan's watchdog allows.
enum class Computing : uint8_t { kFree, kWatched };
// `input`: read instead of the tool's own standard input. Of a run that `wanted` does not want to be told, the trace has no events: a long run
// has gigabytes of them.
PlainRun run_plainly(const Target& target, const std::string& library, Carrier carrier, const Plan& plan, const Input* input,
                     const std::function<bool(const Outcome&)>& wanted, Computing computing = Computing::kFree);
// The same with all events and inputs given to `sink` while it runs, and a checkpoint every so often (0: none); the trace has none of them.
PlainRun run_into(StreamSink& sink, const Target& target, const std::string& library, Carrier carrier, const Plan& plan, const Input* input,
                  Computing computing = Computing::kFree, std::chrono::milliseconds checkpoint_every = {});

}  // namespace heddle::exec
