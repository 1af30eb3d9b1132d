#pragma once
// Executions in flight on several workers, each with a fork server and a core of its own.
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "exec/machine.h"
#include "exec/runner.h"
#include "trace/executor.h"
#include "trace/known.h"

namespace heddle::exec {

class WorkerPool final : public Executor {
 public:
  // `jobs` of 1 runs in the caller's own thread.
  WorkerPool(const Target& target, const RunnerOptions& options, unsigned jobs);
  ~WorkerPool() override;

  void submit(const Plan& plan) override;
  Trace next() override;
  size_t outstanding() const override { return outstanding_; }
  void drop() override;
  size_t width() const override { return threads_.empty() ? 1 : threads_.size(); }

  // One run with its output, beside the queue, in the caller's thread.
  RunResult run_now(const Plan& plan);
  std::vector<std::string> notes() const;
  bool threadless() const;
  // Loops of the program that wait without a call. They belong to the point set of every plan from the run on that has shown them, in the order
  // of submission: so the result does not depend on the number of workers.
  const std::vector<CodePoint>& loops() const { return loops_; }
  Deadline& deadline() { return deadline_; }

 private:
  struct Task {
    Plan plan;
    std::optional<Trace> trace;
    std::exception_ptr error;
    bool ahead = false;  // of many: its analysis is the worker's, who has nothing to wait for
    std::optional<KnownOfRun> known{};
    bool done() const { return trace || error; }
  };
  void work(size_t index);
  bool my_turn(size_t index) const;
  void take_notes(const Runner& runner);
  void await(std::unique_lock<std::mutex>& lock);
  Plan with_known_loops(const Plan& plan) const;
  // Where the run was given up at a loop that waits without a call: learns it, and makes the run again.
  RunResult settled(const Plan& plan, RunResult result);

  Deadline deadline_;
  std::unique_ptr<Runner> own_;  // in the caller's thread; also for run_now
  std::vector<std::thread> threads_;
  std::vector<RunnerOptions> worker_options_;
  Target target_;

  mutable std::mutex mutex_;
  std::condition_variable work_ready_, result_ready_;
  std::deque<std::shared_ptr<Task>> waiting_;   // nobody has taken it yet
  std::deque<std::shared_ptr<Task>> in_order_;  // submitted and not yet handed out
  const Task* first_ = nullptr;                 // whose end somebody waits for
  const Task* last_ = nullptr;                  // and of those that he would like to have with it
  std::vector<bool> idle_;
  std::vector<std::string> notes_;
  std::vector<CodePoint> loops_;
  bool threadless_ = false;
  bool closing_ = false;
  size_t outstanding_ = 0;
};

}  // namespace heddle::exec
