#pragma once
// The steps that the verbs are made of: find and believe, simplify and believe, save.
#include <optional>
#include <string>

#include "cli/campaign.h"
#include "cli/progress.h"
#include "cli/results.h"
#include "simplify/isolate.h"
#include "simplify/reduce.h"
#include "simplify/simplify.h"

namespace heddle {

struct Found {
  FindResult result;
  std::optional<Trace> failing;  // believed
  std::string uncontrolled;      // a failure did not replay: where it first differed
  Output output;                 // of the failing run
  std::string inconclusive;      // why runs said nothing, where none said anything

  // "failure", "none" or "inconclusive".
  const char* verdict() const;
  int exit_code() const;
};
// What a search starts from. Fixes the point set, which may take profiling runs.
SearchOptions search_options(Campaign& campaign, const CampaignOptions& options);
// Replays the first failure found; fills in `failing` or `uncontrolled`.
void believe_first(Campaign& campaign, Found& found);
Found find_failure(Campaign& campaign, const CampaignOptions& options, Progress& progress);

struct Simplified {
  SimplifyResult result;
  std::optional<Trace> passing;  // of all passing runs, the one that shares the longest beginning with the best
  bool believed = true;          // else the best is the trace it started from
};
struct SimplifyChoice {
  std::string algorithm = "default";
  uint64_t executions = 0;
  double seconds = 60;
  void add_to(Verb& verb);
};
Simplified simplify_failure(Campaign& campaign, const Trace& failing, const SimplifyChoice& choice, Progress& progress);

// Whole threads removed; saved as the bug's reduced trace. Nothing if the reduced run does not replay.
std::optional<ReduceResult> reduce_failure(Campaign& campaign, const Trace& failing, double seconds, Progress& progress);
Json json_reduce(const ReduceResult& result);
void save_reduced(Bug& bug, const ReduceResult& result);

// The switch that decides. `passing`: a run to start from, if one is known.
IsolateResult isolate_failure(Campaign& campaign, const Trace& failing, const std::optional<Trace>& passing, double seconds, uint64_t seed);
Json json_isolate(const IsolateResult& result);
// "fails if T1 is stopped after bank.cpp:19 ...": for a result that was isolated.
std::string deciding_sentence(const IsolateResult& result);
void save_isolated(Bug& bug, const IsolateResult& result);

Json json_find(const Found& found, const CampaignOptions& options);
Json json_simplify(const SimplifyResult& result);

// For people: why there is no failure to show.
void print_nothing_found(const Found& found, const CampaignOptions& options);
// Notes about how runs were made, on stderr.
void print_notes(const Campaign& campaign, const Trace* trace);

// A result that cannot be saved is still shown, and the exit code says that it was not saved.
class Saving {
 public:
  void attempt(const std::function<void()>& save);
  bool saved() const { return !failed_; }
  int exit_code(ExitCode otherwise) const { return exit_value(failed_ ? ExitCode::kCannotTest : otherwise); }

 private:
  bool failed_ = false;
};

// The failing trace and what belongs to it; returns the bug with its id.
Bug save_failure(Campaign& campaign, const CampaignOptions& options, const Found& found);
void save_simplified(Bug& bug, const Simplified& simplified);

// The campaign that a saved bug came from: the same program, input and predicates; and the same carrier if none is given.
struct Reopened {
  Bug bug;
  CampaignOptions options;
  std::unique_ptr<Campaign> campaign;
};
Reopened reopen(const std::string& name, const std::string& carrier, unsigned jobs, bool fresh = false);
// Of the program as it is now: another one than the bug's means that it was built anew.
std::string current_build_id(const Bug& bug);

std::vector<std::string> module_paths(const Trace& trace);

}  // namespace heddle
