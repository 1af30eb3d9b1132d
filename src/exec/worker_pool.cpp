#include "exec/worker_pool.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "trace/error.h"
#include "trace/plain_points.h"

namespace heddle::exec {

namespace {

// A driver is told of an interrupted run like of any other that says nothing: it looks at the stop flag itself, and keeps what it has.
RunResult run_or_interrupted(Runner& runner, const Plan& plan) {
  try {
    return runner.run(plan);
  } catch (const Error& error) {
    if (error.exit_code() != ExitCode::kInterrupted) throw;
    Trace::Data data;
    data.outcome.kind = OutcomeKind::kCannotControl;
    data.outcome.message = error.what();
    data.abandoned = true;
    return {Trace(std::move(data)), {}};
  }
}

// To wake a thread takes as long as a short run: where there is work enough, it is handed over by so many, and so are the results.
constexpr size_t kTogether = 8;
constexpr size_t kMany = 4 * kTogether;
constexpr auto kLongWait = std::chrono::milliseconds(1);  // runs that take so long are handed over one by one
constexpr size_t kMostAnalysed = 20'000;                  // events of a run that its worker looks at, too

// Different loops of a program in which one run may come to wait.
constexpr size_t kMostLoops = 64;

}  // namespace

WorkerPool::WorkerPool(const Target& target, const RunnerOptions& options, unsigned jobs) : target_(target) {
  const std::vector<int> cores = usable_cores();
  auto for_worker = [&](size_t index) {
    RunnerOptions mine = options;
    mine.deadline = &deadline_;
    // Several tools at work at the same time shall not all stand on the same core.
    if (!cores.empty()) mine.core = cores[(static_cast<size_t>(::getpid()) + index) % cores.size()];
    return mine;
  };
  own_ = std::make_unique<Runner>(target, for_worker(0));
  if (jobs <= 1) return;
  idle_.resize(jobs, true);
  for (size_t i = 0; i < jobs; ++i) worker_options_.push_back(for_worker(i));
  for (size_t i = 0; i < jobs; ++i) threads_.emplace_back([this, i] { work(i); });
}

WorkerPool::~WorkerPool() {
  // What is still under way is wanted by nobody.
  deadline_.expire();
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    waiting_.clear();
  }
  work_ready_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void WorkerPool::submit(const Plan& plan) {
  auto task = std::make_shared<Task>();
  task->plan = with_known_loops(plan);
  bool wake = true;
  {
    const std::lock_guard lock(mutex_);
    ++outstanding_;
    task->ahead = in_order_.size() >= kMany;
    in_order_.push_back(task);
    if (!threads_.empty()) waiting_.push_back(task);
    wake = !task->ahead || waiting_.size() >= kTogether;
  }
  if (wake) work_ready_.notify_all();
}

// For the oldest task. Where there are many, for the next ones too, unless that takes long.
void WorkerPool::await(std::unique_lock<std::mutex>& lock) {
  first_ = in_order_.front().get();
  if (first_->done()) return;
  work_ready_.notify_all();
  last_ = in_order_.size() >= kMany ? in_order_[kTogether - 1].get() : first_;
  result_ready_.wait_for(lock, kLongWait, [&] { return first_->done() && last_->done(); });
  last_ = nullptr;
  result_ready_.wait(lock, [&] { return first_->done(); });
}

Trace WorkerPool::next() {
  std::shared_ptr<Task> task;
  if (threads_.empty()) {
    task = in_order_.front();
    in_order_.pop_front();
    --outstanding_;
    Trace trace = settled(task->plan, run_or_interrupted(*own_, task->plan)).trace;
    const std::lock_guard lock(mutex_);
    take_notes(*own_);
    return trace;
  }
  {
    std::unique_lock lock(mutex_);
    await(lock);
    task = in_order_.front();
    first_ = nullptr;
    in_order_.pop_front();
    --outstanding_;
    if (task->error) std::rethrow_exception(task->error);
  }
  const Trace trace = settled(task->plan, {std::move(*task->trace), {}}).trace;
  if (task->known) keep_known(std::move(*task->known));
  return trace;
}

// What replays a run exactly has its own point set.
Plan WorkerPool::with_known_loops(const Plan& plan) const {
  Plan all = plan;
  if (plan.strictness == Strictness::kRelaxed) add_loops(all, loops_);
  return all;
}

RunResult WorkerPool::settled(const Plan& plan, RunResult result) {
  while (!result.trace.data().learnt.empty() && loops_.size() < kMostLoops) {
    const CodePoint& loop = result.trace.data().learnt.front();
    const auto is_it = [&](const CodePoint& l) { return l.site == loop.site; };
    const Trace::Data& data = result.trace.data();
    if (data.code && std::any_of(data.code->begin(), data.code->end(), is_it)) break;  // it did not help
    if (std::none_of(loops_.begin(), loops_.end(), is_it)) loops_.push_back(loop);
    if (plan.strictness == Strictness::kStrict) break;
    result = run_or_interrupted(*own_, with_known_loops(plan));
  }
  return result;
}

void WorkerPool::drop() {
  const std::lock_guard lock(mutex_);
  waiting_.clear();
  in_order_.clear();
  outstanding_ = 0;
}

// A worker starts its server with its first task, so the work goes to the lowest idle ones: while there is little of it, the others
// do not start a program each for nothing.
bool WorkerPool::my_turn(size_t index) const {
  size_t before = 0;
  for (size_t i = 0; i < index; ++i) before += idle_[i] ? 1 : 0;
  return waiting_.size() > before;
}

// The runner is created, used and destroyed on this thread: the kernel ties the life of its processes to it.
void WorkerPool::work(size_t index) {
  Runner runner(target_, worker_options_[index]);
  while (true) {
    std::shared_ptr<Task> task;
    {
      std::unique_lock lock(mutex_);
      work_ready_.wait(lock, [&] { return closing_ || my_turn(index); });
      if (closing_) return;
      task = waiting_.front();
      waiting_.pop_front();
      idle_[index] = false;
    }
    std::optional<Trace> trace;
    std::optional<KnownOfRun> known;
    std::exception_ptr error;
    try {
      trace = run_or_interrupted(runner, task->plan).trace;
      if (task->ahead && trace->events().size() <= kMostAnalysed) known = looked_at(*trace);
    } catch (...) {
      error = std::current_exception();
    }
    bool wake = false;
    {
      const std::lock_guard lock(mutex_);
      task->trace = std::move(trace);
      task->known = std::move(known);
      task->error = error;
      take_notes(runner);
      idle_[index] = true;
      wake = last_ != nullptr ? first_->done() && last_->done() : task.get() == first_;
    }
    if (wake) result_ready_.notify_all();
  }
}

void WorkerPool::take_notes(const Runner& runner) {
  for (const std::string& note : runner.notes()) {
    if (std::find(notes_.begin(), notes_.end(), note) == notes_.end()) notes_.push_back(note);
  }
  threadless_ |= runner.threadless();
}

RunResult WorkerPool::run_now(const Plan& plan) {
  const Plan all = with_known_loops(plan);
  RunResult result = settled(all, own_->run(all));
  const std::lock_guard lock(mutex_);
  take_notes(*own_);
  return result;
}

std::vector<std::string> WorkerPool::notes() const {
  const std::lock_guard lock(mutex_);
  return notes_;
}

bool WorkerPool::threadless() const {
  const std::lock_guard lock(mutex_);
  return threadless_;
}

}  // namespace heddle::exec
