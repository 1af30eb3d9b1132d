#pragma once
// Find a failure and believe it: the first step of most verbs.
#include <optional>
#include <string>
#include <vector>

#include "cli/account.h"
#include "cli/campaign.h"
#include "cli/progress.h"
#include "cli/results.h"
#include "store/campaigns.h"
#include "symbols/own_locks.h"

namespace heddle::cli {

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
  std::string uncontrolled;        // a failure did not replay: where it first differed. The search went on
  SearchFacts facts;
  std::string inconclusive;            // why runs said nothing, where none said anything
  CampaignTotals totals;               // of all searches of this program, this one included
  std::vector<OwnLocks> own_locks;     // modules of a plain program that lock by themselves
  std::optional<LearntPoints> learnt;  // the points of a plain program that were learnt
  size_t after_releases = 0;           // the last so many runs had a point after each operation that lets others go on
  uint64_t segment = 0;                // how often the search had been resumed

  bool failed() const { return !believed.empty(); }
  const Trace& failing() const { return believed.front().trace; }
  // "failure", "none" or "inconclusive".
  const char* verdict() const;
  int exit_code() const;
};
// What a search starts from. Fixes the point set, which may take profiling runs.
SearchOptions search_options(Campaign& campaign, const CampaignOptions& options);
// Replays a failure; fills in `believed` or `uncontrolled`.
bool believe(Campaign& campaign, Found& found, const FoundFailure& failure);
// Retries the known bugs of the program, then searches; keeps account of it under .heddle/.
Found find_failure(Campaign& campaign, const CampaignOptions& options, Progress& progress);

// The failing trace and what belongs to it; returns the bug with its id.
Bug save_failure(Campaign& campaign, const CampaignOptions& options, const Believed& failure, double seconds);
// Modules that lock by themselves, unseen in a program that is not instrumented.
Json json_own_locks(const std::vector<OwnLocks>& all);
Json json_find(const Found& found, const CampaignOptions& options);
// For people: why there is no failure to show, what was covered and what to try next.
void print_nothing_found(Campaign& campaign, const Found& found, const CampaignOptions& options);
Json json_account(Campaign& campaign, const Found& found, const CampaignOptions& options);

}  // namespace heddle::cli
