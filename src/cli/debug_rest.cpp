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

void confirm_from(const Reopened& r, const SavedCheckpoint& checkpoint, const Trace& failing) {
  const Trace rest = tail_of(failing, checkpoint.step);
  Plan plan = r.campaign->replay_plan(rest);
  end_soon_after(rest, &plan);
  for (int i = 0; i < kReplaysToBelieve; ++i) {
    const Trace again = run_from(*r.campaign, checkpoint, plan).trace;
    std::string why;
    if (replay_difference(rest, again, &why) != kNoDifference) {
      if (is_inconclusive(again.outcome())) why = again.outcome().message;
      throw Error(fmt::format("the saved schedule no longer replays: {}", why));
    }
    if (!same_bug(rest, again))
      throw Error(fmt::format("the saved schedule no longer replays: the same events failed in another way: {}", describe_failure(again)));
  }
}

}  // namespace

int debug_rest(const Reopened& r, const Trace& failing, const RestOptions& options) {
  if (is_cut(failing) || !r.campaign->fails(failing))
    throw Error(fmt::format("bug {} is a recording that did not fail: heddle replay {} runs it again", r.bug.id, r.bug.id));
  if (failing.inputs().lost != 0) throw Error(kInputLost);
  const std::vector<SavedCheckpoint> checkpoints = checkpoints_of(r.bug);
  const SavedCheckpoint& first = first_of(checkpoints, failing);
  confirm_from(r, first, failing);
  const std::string limit = fmt::format(
      "the first {} events of bug {} were not kept: it is explained as it was recorded, and not simplified, which takes other schedules "
      "from the start",
      failing.data().first, r.bug.id);
  LoadedStory loaded = load_story(r.bug.id);
  Saving saving;
  saving.attempt([&] { save_page(loaded); });
  if (options.json) {
    Json document = {{"verdict", "failure"}};
    document["failure"] = json_failure(failing);
    document["found"] = json_counts(failing.counts(), true);
    document["from"] = first.step;
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
