#pragma once
// `Plan -> Trace` as the drivers see it. Real targets (exec/) and toy programs (tests/toy) stand behind the same two types.
#include <cstddef>
#include <deque>
#include <functional>
#include <utility>

#include "trace/trace.h"

namespace heddle::trace {

// One execution, waited for.
using Execute = std::function<Trace(const Plan&)>;

// Executions in flight: results come back in the order of submission, whatever the number of workers.
class Executor {
 public:
  virtual ~Executor() = default;
  virtual void submit(const Plan& plan) = 0;
  // The result of the oldest outstanding submission; waits for it.
  virtual Trace next() = 0;
  virtual size_t outstanding() const = 0;
  // How many can be under way at once. Who submits that many must not let it show in what comes out.
  virtual size_t width() const { return 1; }
  // Nobody wants the outstanding results any more: those that are not under way are not made.
  virtual void drop() {
    while (outstanding() > 0) next();
  }
};

// Runs each plan when its result is asked for: for toys and single runs.
class DirectExecutor final : public Executor {
 public:
  explicit DirectExecutor(Execute execute) : execute_(std::move(execute)) {}
  void submit(const Plan& plan) override { queue_.push_back(plan); }
  Trace next() override {
    Plan plan = std::move(queue_.front());
    queue_.pop_front();
    return execute_(plan);
  }
  size_t outstanding() const override { return queue_.size(); }
  void drop() override { queue_.clear(); }

 private:
  Execute execute_;
  std::deque<Plan> queue_;
};

}  // namespace heddle::trace
