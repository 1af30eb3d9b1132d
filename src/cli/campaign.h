#pragma once
// What `debug` and `find` share: the options, the program, the workers, and the rule that a failure is believed only after it has
// replayed strictly three times.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/plan_options.h"
#include "cli/points.h"
#include "cli/session.h"
#include "exec/worker_pool.h"
#include "search/find.h"
#include "store/bugs.h"

namespace heddle::cli {

struct CampaignOptions {
  PlanOptions plan;
  std::optional<uint64_t> executions;
  std::optional<double> seconds;
  unsigned jobs = 0;     // 0: as many as there are cores
  std::string strategy;  // empty: the default
  std::string around;    // gaussian: the recorded run that it perturbs
  uint32_t depth = 3;
  uint32_t early_timeouts = 0;
  uint32_t spurious_wakeups = 0;
  bool no_timing = false;  // no run lets anything end before its time, unless the two above ask for it
  std::string carrier = "fiber";
  int expect_exit = 0;
  std::string expect_stdout;  // file
  std::string fails_if_output;
  std::string fails_if;
  std::optional<std::string> ctest_rule;  // of a suite: how CTest judges the test
  std::string test;                       // of a suite: the test that is searched
  std::vector<std::string> environment;   // what the suite sets for it
  bool whole_environment = false;         // `environment` is all that the program has
  bool json = false;
  bool fresh = false;       // no fork server
  bool keep_going = false;  // collect every distinct failure
  bool resume = false;      // build on what earlier searches learnt
  bool no_retry = false;    // leave the known bugs alone
  bool real_files = false;
  std::vector<RecordedFile> files;         // of a saved bug: shown as they were
  std::shared_ptr<const InputLog> inputs;  // of a saved bug: what other processes sent

  enum class Budget { kOfOne, kOfSuite };
  void add_to(Verb& verb, const char* points_by_default, Budget budget = Budget::kOfOne);
  void add_search_to(Verb& verb);  // for verbs that search until they find something
  Predicates predicates() const;
  FindOptions find_options() const;
  std::string strategy_name() const;
};

inline constexpr int kConfirmations = 3;
inline constexpr double kSuiteSeconds = 300;  // where neither --time nor --executions is given

// How strict replays of a trace went.
struct Confirmation {
  bool believed = true;
  std::string why_not;         // one sentence with the first differing event
  std::optional<Trace> other;  // the run that differed
  Output output;               // of the last replay
};

class Campaign {
 public:
  Campaign(const Target& target, const CampaignOptions& options, const Predicates& predicates, std::shared_ptr<const Input> input);

  WorkerPool& pool() { return *pool_; }
  const Target& target() const { return target_; }
  const Input& input() const { return *input_; }
  const Judge& judge() const { return *judge_; }
  const Plan& base() const { return base_; }
  // How its runs are made.
  const RunnerOptions& runner_options() const { return runner_options_; }
  bool threadless() const { return pool_->threadless(); }
  bool fails(const Trace& trace) const { return judge_->fails(trace.outcome()); }

  // Fixes the point set of a search, by profiling runs where the program is instrumented. Says on stderr what the user does not get.
  void choose_points(const CampaignOptions& options);
  // Whether the point set is learnt by the search itself (Epochs): racing accesses of an instrumented program.
  bool learns_points(const CampaignOptions& options) const;
  // Whether the points of a plain program may be learnt while it is searched: the user has not said which there are, and they can be.
  bool may_learn(const CampaignOptions& options) const;
  // Whether they are learnt so because the user has asked for them.
  bool must_learn(const CampaignOptions& options) const;
  // How much may be spent on it.
  static LearnLimits learn_limits(const CampaignOptions& options);
  // Makes what was learnt the points of `base`, which is `base()` from then on.
  void adopt(PointSet learnt, Plan base);
  // Learns all that a few runs show at once, makes points of it and says so.
  void learn_at_once(const CampaignOptions& options);
  // The same without making them points.
  LearntPoints learn(PointKind kind, const CampaignOptions& options);
  // How the points of a plain program were learnt; nothing: they were not.
  const std::optional<LearntPoints>& learnt() const { return points_.learnt; }
  // Of the program as it is now.
  const std::string& build_id() const { return build_id_; }

  // A strict plan of the trace under this campaign's limits.
  Plan replay_plan(const Trace& trace) const;
  Confirmation confirm(const Trace& trace, int times = kConfirmations);

  // A bug of this program with everything filled in that the campaign knows.
  Bug bug_of(const Trace& trace, const CampaignOptions& options) const;

  // Says on stderr what was learnt.
  void tell_learnt() const;

 private:
  Target target_;
  std::shared_ptr<const Input> input_;
  std::shared_ptr<const Judge> judge_;
  Plan base_;
  PointSet points_;
  std::string build_id_;
  RunnerOptions runner_options_;
  std::unique_ptr<WorkerPool> pool_;
};

// The program's input as given to the tool; says on stderr when it was cut off.
std::shared_ptr<const Input> input_of_tool();

Carrier carrier_named(const std::string& name);

}  // namespace heddle::cli
