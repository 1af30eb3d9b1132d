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
#include "trace/campaigns.h"

namespace heddle {

// A failure that has replayed strictly three times.
struct Believed {
  Trace trace;
  Output output;
  size_t index = 0;          // of the run that first showed it, from 0
  size_t count = 1;          // runs of this search that showed it
  std::optional<Bug> known;  // it was saved before, and a saved schedule showed it again
};

struct Found {
  FindResult result;
  std::vector<Believed> believed;  // in the order of their first runs; one, unless the search goes on after a failure
  std::string uncontrolled;        // a failure did not replay: where it first differed
  std::string inconclusive;        // why runs said nothing, where none said anything
  CampaignTotals totals;           // of all searches of this program, this one included
  uint64_t segment = 0;            // how often the search had been resumed

  bool failed() const { return !believed.empty(); }
  const Trace& failing() const { return believed.front().trace; }
  // "failure", "none" or "inconclusive".
  const char* verdict() const;
  int exit_code() const;
};
// What a search starts from. Fixes the point set, which may take profiling runs.
SearchOptions search_options(Campaign& campaign, const CampaignOptions& options);
// Replays the failures found; fills in `believed` and `uncontrolled`.
void believe(Campaign& campaign, Found& found);
// Retries the known bugs of the program, then searches; keeps account of it under .heddle/.
Found find_failure(Campaign& campaign, const CampaignOptions& options, Progress& progress);

struct Simplified {
  SimplifyResult result;
  std::optional<Trace> passing;  // of all passing runs, the one that shares the longest beginning with the best
  size_t refuted = 0;            // simpler traces that did not replay: the best is the simplest that did
  std::string fallback;          // the same in words; empty if there were none
};
struct SimplifyChoice {
  std::string algorithm = "default";
  uint64_t executions = 0;
  double seconds = 60;
  size_t certificate = SimplifyOptions().certificate_executions;
  bool race_free = false;
  size_t suffix = 0;  // intervals at the end that alone are worked on; 0 = all
  // The verb `simplify` has options of its own for the runs and seconds.
  void add_to(Verb& verb, bool own_limits = false);
};
// `failing` is the bug; the work begins with `start` where an earlier call was cut short.
Simplified simplify_failure(Campaign& campaign, const Trace& failing, const SimplifyChoice& choice, Progress& progress,
                            const Trace* start = nullptr);

// Whole threads removed; saved as the bug's reduced trace. Nothing if the reduced run does not replay.
std::optional<ReduceResult> reduce_failure(Campaign& campaign, const Trace& failing, double seconds, Progress& progress,
                                           uint64_t executions = 0);
Json json_reduce(const ReduceResult& result);
void save_reduced(Bug& bug, const ReduceResult& result);

// The switch that decides.
IsolateResult isolate_failure(Campaign& campaign, const Trace& failing, IsolateOptions options);
Json json_isolate(const IsolateResult& result);
// "fails if T1 is stopped after bank.cpp:19 ...": for a result that was isolated.
std::string deciding_sentence(const IsolateResult& result);
void save_isolated(Bug& bug, const IsolateResult& result);

Json json_find(const Found& found, const CampaignOptions& options);
Json json_simplify(const Simplified& simplified);

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
Bug save_failure(Campaign& campaign, const CampaignOptions& options, const Believed& failure, double seconds);
void save_simplified(Bug& bug, const Simplified& simplified);

// The campaign that a saved bug came from: the same program, input and predicates; and the same carrier if none is given.
struct Reopened {
  Bug bug;
  CampaignOptions options;
  std::unique_ptr<Campaign> campaign;
};
struct ReopenOptions {
  std::string carrier = {};  // empty: as found
  unsigned jobs = 1;
  bool fresh = false;
  bool live_input = false;   // files, peers and standard input are as they are now, not as they were recorded
  bool last_live = false;    // ... or as the last run with live input recorded them
  bool other_build = false;  // a program that was built anew may be named
};
// Runs nothing that a stranger chose: a bug that this user's heddle did not write, or whose files changed since, is opened only with the program
// named after `--`, and then without the commands and files it brings. Throws Error, with what it would have run, where it may not be opened.
Reopened reopen(const std::string& name, const Session& session, const ReopenOptions& options);
// Of the program as it is now: another one than the bug's means that it was built anew.
std::string current_build_id(const Bug& bug);

std::vector<std::string> module_paths(const Trace& trace);

}  // namespace heddle
