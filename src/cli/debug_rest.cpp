#include "cli/debug_rest.h"

#include <fmt/format.h>

#include "cli/checkpoints.h"
#include "cli/pipeline.h"
#include "cli/print.h"
#include "cli/same_output.h"
#include "cli/session.h"
#include "cli/story.h"
#include "cli/terminal.h"
#include "report/text.h"

namespace heddle::cli {

namespace {

constexpr int kReplaysToBelieve = 3;

// Why the rest of the run does not come again from the checkpoint; empty: it failed alike each time.
std::string difference_from(const Reopened& r, const SavedCheckpoint& checkpoint, const Trace& failing) {
  const Trace rest = tail_of(failing, checkpoint.step);
  Plan plan = r.campaign->replay_plan(rest);
  end_soon_after(rest, &plan);
  for (int i = 0; i < kReplaysToBelieve; ++i) {
    const Trace again = run_from(*r.campaign, checkpoint, plan).trace;
    std::string why;
    if (replay_difference(rest, again, &why) != kNoDifference) return is_inconclusive(again.outcome()) ? again.outcome().message : why;
    if (!same_bug(rest, again)) return fmt::format("the same events failed in another way: {}", describe_failure(again));
  }
  return {};
}

// The last checkpoint from which the failure comes again: the shortest way to it. What does not replay from one may from an earlier one. Throws Error
// where there is none.
const SavedCheckpoint& confirmed_from(const Reopened& r, const std::vector<SavedCheckpoint>& checkpoints, const Trace& failing,
                                      std::string* passed_over) {
  const uint64_t end = failing.data().first + failing.events().size();
  std::string first_reason;
  for (auto c = checkpoints.rbegin(); c != checkpoints.rend(); ++c) {
    if (c->step < failing.data().first || c->step >= end) continue;
    if (stop_flag()) throw Error("interrupted", ExitCode::kInterrupted);
    std::string why;
    try {
      why = difference_from(r, *c, failing);
    } catch (const Error& error) {
      if (error.exit_code() == ExitCode::kInterrupted) throw;
      why = error.what();
    }
    if (why.empty()) return *c;
    if (first_reason.empty()) first_reason = fmt::format("from event {}: {}", c->step, why);
    *passed_over = first_reason;
  }
  if (first_reason.empty()) first_of(checkpoints, failing);
  throw Error(fmt::format("the saved schedule no longer replays{}{}", first_reason.empty() ? "" : ", ", first_reason));
}

}  // namespace

int debug_rest(const Reopened& r, const Trace& failing, const RestOptions& options) {
  if (is_cut(failing) || !r.campaign->fails(failing))
    throw Error(fmt::format("bug {} is a recording that did not fail: heddle replay {} runs it again", r.bug.id, r.bug.id));
  if (failing.inputs().lost != 0) throw Error(kInputLost);
  const std::vector<SavedCheckpoint> checkpoints = checkpoints_of(r.bug);
  std::string passed_over;
  const SavedCheckpoint& from = confirmed_from(r, checkpoints, failing, &passed_over);
  if (!passed_over.empty()) print_err("heddle: the failure was not had again {}\n", passed_over);
  const std::string start =
      options.start.empty() ? fmt::format("the first {} events of bug {} were not kept", failing.data().first, r.bug.id) : options.start;
  const std::string limit = fmt::format(
      "{}: it failed alike {} times from the checkpoint after event {}, and is explained as it was recorded, not simplified, which takes "
      "other "
      "schedules from the start",
      start, kReplaysToBelieve, from.step);
  LoadedStory loaded = load_story(r.bug.id);
  Saving saving;
  saving.attempt([&] { save_page(loaded); });
  if (options.json) {
    Json document = {{"verdict", "failure"}};
    document["failure"] = json_failure(failing);
    document["found"] = json_counts(failing.counts(), true);
    document["from"] = from.step;
    document["not_simplified"] = limit;
    document["cause"] = json_cause(failing);
    lead_with_lines(document["cause"], loaded.story());
    document["diagnosis"] = json_diagnosis(loaded.story());
    document["bug"] = BugStore::shown(r.bug.id);
    if (!loaded.page.empty()) document["page"] = loaded.page;
    print_json(document);
  } else {
    print_err("heddle: {}\n", limit);
    write_text(stdout, explain_text(loaded.story(), text_options(options.all)));
  }
  return saving.exit_code(ExitCode::kFailure);
}

}  // namespace heddle::cli
