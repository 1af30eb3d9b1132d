#include "cli/learning_search.h"

#include <algorithm>
#include <chrono>

#include "cli/point_learner.h"
#include "cli/print.h"
#include "cli/results.h"
#include "search/reversal.h"
#include "search/widened.h"

namespace heddle::cli {

namespace {

// Who wants fewer runs than that of a plain program gets them over its calls.
constexpr uint64_t kLeastToLearn = 32;
// Runs over the calls alone, before accesses are looked at, where the order of the calls can be another one at all: they take milliseconds, and
// a run under Valgrind half a second.
constexpr size_t kRunsOverCalls = 8;
constexpr size_t kMostSteps = 8;
// Runs of the search before the points are learnt further.
size_t runs_after_step(size_t step) { return size_t{4} << (2 * std::min(step, kMostSteps)); }

// Each thread takes one lock at most, once, and uses nothing else that threads wait for: its section comes whole, before or after those of others. What
// fails then fails mostly between a section and what is accessed outside of it.
bool has_one_section_each(const Trace& trace) {
  std::vector<uint32_t> sections(trace.threads().size(), 0);
  for (const Event& e : trace.events()) {
    const Family family = row(e.op).family;
    if (family == Family::kThreads || e.op == Op::kExit) continue;
    if (family != Family::kMutexes && family != Family::kRwlocks) return false;
    if (has(e.op, kAcquires) && ++sections[e.thread] > 1) return false;
  }
  return true;
}

bool leaves_a_choice(const Trace& sequential) {
  if (has_one_section_each(sequential)) return false;
  search::Reversals reversals;
  reversals.add(sequential);
  return !reversals.empty();
}

class Teacher {
 public:
  Teacher(Campaign& campaign, const CampaignOptions& options)
      : campaign_(campaign), options_(options), asked_(options.plan.points()), begun_(std::chrono::steady_clock::now()) {}

  search::Wider learn(const Trace& last) {
    if (campaign_.threadless() || stop_flag()) return {};
    if (!began_) {
      began_ = true;
      // The first run shows how long one takes.
      seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
      if (!asked_ && leaves_a_choice(last)) return {std::nullopt, kRunsOverCalls};
    }
    if (!learner_ && !begin(last)) return {};
    const bool changed = learner_->step();
    Plan base = adopt();
    const size_t next = learner_->done() ? 0 : runs_after_step(learner_->steps());
    // Who has asked is told that there are none, too.
    if (learner_->steps() == 1 && (changed || asked_)) campaign_.tell_learnt();
    return {changed ? std::optional(std::move(base)) : std::nullopt, next};
  }

  std::optional<Plan> revise(const Trace& first) {
    if (!learner_ || !learner_->leave_out_frequent(first)) return std::nullopt;
    return adopt();
  }

 private:
  bool begin(const Trace& last) {
    if (asked_ == PointKind::kAll) print_err("heddle: {}\n", kOnlyRacing);
    const PointKind kind = asked_ == PointKind::kAtomics ? PointKind::kAtomics : PointKind::kRacy;
    learner_ = std::make_unique<PointLearner>(campaign_.target(), campaign_.runner_options(), kind, campaign_.base(), options_.plan.seed(),
                                              Campaign::learn_limits(options_));
    return learner_->begin(last, seconds_);
  }
  Plan adopt() {
    campaign_.adopt(points_of(learner_->learnt, learner_->kind()), learner_->base());
    return campaign_.base();
  }

  Campaign& campaign_;
  const CampaignOptions& options_;
  const std::optional<PointKind> asked_;
  const std::chrono::steady_clock::time_point begun_;
  std::unique_ptr<PointLearner> learner_;
  double seconds_ = 0;
  bool began_ = false;
};

}  // namespace

std::unique_ptr<search::Search> learning_search(Campaign& campaign, const CampaignOptions& options, const SearchOptions& search,
                                                const SearchRow& row) {
  const bool may = campaign.may_learn(options) && options.find_options().executions >= kLeastToLearn;
  if (!may && !campaign.must_learn(options)) return nullptr;
  const auto teacher = std::make_shared<Teacher>(campaign, options);
  return std::make_unique<search::Widened>(
      search, row, 1, [teacher](const Trace& last) { return teacher->learn(last); },
      [teacher](const Trace& first) { return teacher->revise(first); });
}

}  // namespace heddle::cli
