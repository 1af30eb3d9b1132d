#pragma once
// Everything that is saved about a bug, loaded to be told.
#include <memory>
#include <optional>
#include <string>

#include "cli/campaign.h"
#include "cli/progress.h"
#include "cli/results.h"
#include "report/text.h"
#include "trace/cause.h"

namespace heddle {

struct LoadedStory {
  Bug bug;
  Trace failing;  // the simplified one where there is one and it was not asked for as found
  std::optional<Trace> found, passing, reduced;
  std::optional<Cause> cause;
  std::unique_ptr<Symbols> symbols;
  std::string replay;
  std::string output;

  Story story() const;
};
LoadedStory load_story(const std::string& name, bool as_found = false);
// Of a bug that has just been found, saved or not.
LoadedStory make_story(const Bug& bug, const Trace& failing, const std::optional<Trace>& passing, const std::optional<Cause>& cause,
                       const std::string& output);

// Tests what decides, by intervention, and saves the result and, where none is saved yet, the nearest passing run.
struct TestedCause {
  std::optional<Cause> cause;
  std::optional<Trace> passing;
};
TestedCause test_cause(Campaign& campaign, const Trace& failing, const std::optional<Trace>& passing, double seconds, uint64_t seed,
                       Progress& progress);
void save_cause(const Bug& bug, const TestedCause& tested, bool passing_saved);

// The class, the sentences and the evidence.
Json json_diagnosis(const Story& story);

}  // namespace heddle
