#pragma once
// Learns the points of a plain program step by step, while it is searched.
#include <functional>
#include <memory>
#include <vector>

#include "cli/learnt_points.h"

namespace heddle::cli {

// The first step is one run under Valgrind, whose points a search can begin with; each later one shows more.
class PointLearner {
 public:
  // `kind`: kAtomics or kRacy.
  PointLearner(const Target& target, const RunnerOptions& options, PointKind kind, const Plan& base, uint64_t seed,
               const LearnLimits& limits);
  ~PointLearner();
  PointLearner(const PointLearner&) = delete;
  PointLearner& operator=(const PointLearner&) = delete;

  // A run without Valgrind, and how long one takes: which modules there are, and what can be afforded. False: there is nothing to learn.
  bool begin(const Trace& native, double seconds);
  // Watches some more schedules. True: the points are others now.
  bool step();
  // All that there is to see, at once.
  void learn_all();
  // No further step would show anything.
  bool done() const;
  size_t steps() const { return step_; }
  // What a run over the points shows: data that is handed on under a lock, and only suspected to race, would be nothing but points. True: the
  // points are others now.
  bool leave_out_frequent(const Trace& trace);

  PointKind kind() const { return kind_; }
  // Without any learnt points.
  const Plan& base() const { return base_; }

  LearntPoints learnt;

 private:
  class Watch;   // the runs under Valgrind
  class Choice;  // what they have shown, as points
  void look(std::unique_ptr<Watch>& watch, uint32_t detect, size_t schedules, size_t without_news, bool quick);
  bool choose();

  PointKind kind_;
  Plan base_;
  LearnLimits limits_;
  std::unique_ptr<Watch> watch_, unordered_;
  std::unique_ptr<Choice> choice_;
  std::function<std::unique_ptr<Watch>(uint32_t)> make_;  // with so much more to detect
  size_t step_ = 0;
};

}  // namespace heddle::cli
