#pragma once
// Everything that is saved about a bug, loaded for its report.
#include <memory>
#include <optional>
#include <string>

#include "cli/campaign.h"
#include "cli/progress.h"
#include "cli/results.h"
#include "report/text.h"
#include "report/timing.h"
#include "trace/anchors.h"
#include "trace/cause.h"
#include "trace/locals.h"
#include "trace/stacks.h"

namespace heddle::cli {

struct LoadedStory {
  Bug bug;
  Trace failing;       // the simplified one where there is one and it was not asked for as found
  Trace at_own_lines;  // the same, each event at the program's own line
  std::optional<Trace> found, passing, reduced;
  std::optional<Cause> cause;
  std::optional<ReductionRecord> reduction;
  std::vector<OriginLine> origins;  // the lines that led to the failure; none: not looked for, or Valgrind could not tell
  Stacks stacks, passing_stacks;
  std::unique_ptr<Symbols> symbols;
  std::string replay;
  std::string output;
  std::string page;  // where it is saved, as shown to the user; empty if it is not

  Story story() const;
};
LoadedStory load_story(const std::string& name, bool as_found = false);
// Of a bug that has just been found, saved or not.
LoadedStory make_story(const Bug& bug, const Trace& failing, const std::optional<Trace>& passing, const std::optional<Cause>& cause,
                       const std::string& output, const std::optional<Anchors>& anchors = std::nullopt);

// The page, with everything that is known.
std::string page_text(const LoadedStory& loaded);
// Beside the bug.
inline constexpr const char* kPageFile = "report.html";
void save_page(LoadedStory& loaded);

// Tests what decides, by intervention, and saves the result and, where none is saved yet, the nearest passing run.
struct TestedCause {
  std::optional<Cause> cause;
  std::optional<Trace> passing;
};
TestedCause test_cause(Campaign& campaign, const Trace& failing, const std::optional<Trace>& passing, double seconds, uint64_t seed,
                       Progress& progress);
// One more replay of each run, to learn the calls that led to each event.
// By a run of its own; nothing where that run differs.
struct KnownStacks {
  Stacks calls;
  std::vector<LocalPlace> locals;
};
std::optional<KnownStacks> stacks_of(Campaign& campaign, const Trace& trace);
// What a schedule asks of time, at the program's own lines.
std::vector<TimingNeed> timing_needs_of(Campaign& campaign, const Trace& trace);
void save_stacks(const Bug& bug, Campaign& campaign, const Trace& failing, const std::optional<Trace>& passing);
void save_cause(const Bug& bug, const TestedCause& tested, bool passing_saved);

// The class, the sentences and the evidence.
Json json_diagnosis(const Story& story);
// The lines of the diagnosis before the switches, in the form of `cause`.
void lead_with_lines(Json& causes, const Story& story);

}  // namespace heddle::cli
