// heddle debug: find, simplify, explain. The main job.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

#include "cli/checkpoints.h"
#include "cli/debug_rest.h"
#include "cli/debugging.h"
#include "cli/finding.h"
#include "cli/isolate.h"
#include "cli/narrow.h"
#include "cli/origins.h"
#include "cli/pipeline.h"
#include "cli/print.h"
#include "cli/reduce.h"
#include "cli/reopen.h"
#include "cli/session.h"
#include "cli/story.h"
#include "cli/terminal.h"
#include "cli/test_lists.h"
#include "report/text.h"

namespace heddle::cli {

namespace {

struct DebugArguments {
  CampaignOptions campaign;
  DebugOptions debug;
  std::string bug;
  bool all = false;
  bool whole = false;
};

// Works the failure out and prints its story.
int tell(Campaign& campaign, const DebugArguments& options, const Trace& failing, Bug& bug, Saving& saving, Json document,
         Progress& progress) {
  DebugOptions debug = options.debug;
  debug.seed = options.campaign.plan.seed();
  const Debugged done = debug_failure(campaign, debug, failing, bug, saving, progress);
  const auto& [simplified, reduced, reduction, isolated, loaded] = done;
  const Trace& best = simplified.result.best;

  if (options.campaign.json) {
    document["failure"] = json_failure(failing);
    document["found"] = json_counts(failing.counts(), true);
    document["simplify"] = json_simplify(simplified);
    document["simplified"] = json_counts(best.counts(), true);
    document["needs_timing"] = json_timing(best);
    if (reduced) {
      document["reduce"] = json_reduce(*reduced);
      document["reduced"] = json_counts(reduced->best.counts(), true);
      document["reduction"] = json_reduction(*reduction);
    }
    if (isolated) document["isolate"] = json_isolate(*isolated);
    const bool decided = isolated && isolated->isolated && isolated->switch_from < isolated->failing.events().size();
    document["cause"] = decided ? json_cause(isolated->failing, isolated->switch_from) : json_cause(best);
    lead_with_lines(document["cause"], loaded.story());
    document["diagnosis"] = json_diagnosis(loaded.story());
    if (!loaded.origins.empty()) document["slice"] = json_slice(loaded.origins, loaded.failing);
    document["bug"] = BugStore::shown(bug.id);
    if (!bug.test.empty()) document["test"] = bug.test;
    if (!loaded.page.empty()) document["page"] = loaded.page;
    print_json(document);
  } else {
    write_text(stdout, explain_text(loaded.story(), text_options(options.all)));
  }
  return saving.exit_code(ExitCode::kFailure);
}

int debug_program(const Session& session, DebugArguments options) {
  Target target = Target::resolve(session.program());
  const Predicates predicates = options.campaign.predicates();
  catch_interrupts();
  if (!options.whole) {
    Progress narrowing(options.campaign.json);
    if (const std::optional<suite::TestCase> test = failing_test(target, options.campaign, narrowing)) {
      target = target_of(*test);
      options.campaign.test = test->name;
    }
  }
  Campaign campaign(target, options.campaign, predicates, input_of_tool());
  Progress progress(options.campaign.json);
  const Found found = find_failure(campaign, options.campaign, progress);
  print_notes(campaign, found.failed() ? &found.failing() : nullptr);

  Json document = {{"verdict", found.verdict()}};
  document["find"] = json_find(found, options.campaign);
  if (!found.failed()) {
    if (!found.uncontrolled.empty()) document["uncontrolled"] = found.uncontrolled;
    if (!found.inconclusive.empty()) document["inconclusive"] = found.inconclusive;
    document["knowledge"] = found.result.knowledge;
    document["account"] = json_account(campaign, found, options.campaign);
    if (options.campaign.json) {
      print_json(document);
    } else {
      print_nothing_found(campaign, found, options.campaign);
    }
    return found.exit_code();
  }

  // Saved before anything else is tried: Ctrl-C loses nothing.
  Saving saving;
  const Believed& first = found.believed.front();
  Bug bug = first.known ? *first.known : campaign.bug_of(first.trace, options.campaign);
  if (!first.known) saving.attempt([&] { bug = save_failure(campaign, options.campaign, first, found.result.seconds); });
  return tell(campaign, options, first.trace, bug, saving, std::move(document), progress);
}

// A bug that was recorded or found before.
int debug_saved(const Session& session, const DebugArguments& options) {
  catch_interrupts();
  Reopened r = reopen(options.bug, session, {.jobs = options.campaign.jobs, .fresh = options.campaign.fresh, .from_checkpoint = true});
  const Trace failing = BugStore().load_trace(r.bug, kFailingTrace);
  if (failing.data().first != 0) return debug_rest(r, failing, {options.all, options.campaign.json, ""});
  const Confirmation confirmation = r.campaign->confirm(failing);
  if (!confirmation.believed && !checkpoints_of(r.bug).empty()) {
    const std::string start = fmt::format("from its start bug {} does not replay ({})", r.bug.id, confirmation.why_not);
    return debug_rest(r, failing, {options.all, options.campaign.json, start});
  }
  if (!confirmation.believed) throw Error(fmt::format("the saved schedule no longer replays: {}", confirmation.why_not));
  Progress progress(options.campaign.json);
  Json document = {{"verdict", "failure"}};
  document["find"] = {{"executions", r.bug.find_executions}, {"seconds", r.bug.find_seconds}, {"strategy", r.bug.strategy}};
  Saving saving;
  return tell(*r.campaign, options, failing, r.bug, saving, std::move(document), progress);
}

int run_debug(const Session& session, const DebugArguments& options) {
  if (options.bug.empty()) return debug_program(session, options);
  return debug_saved(session, options);
}

}  // namespace

namespace {

void add_debug(CLI::App& app, Session& session) {
  Verb verb(app, "debug", "find a failing schedule, simplify it and show the bug: the main job", TakesProgram::kInsteadOfBug);
  auto options = std::make_shared<DebugArguments>();
  verb.positional("BUG", options->bug, "a saved bug to start from, instead of a program");
  options->campaign.add_to(verb, kRacyWhereSeen);
  options->campaign.add_search_to(verb);
  options->debug.simplify.add_to(verb);
  verb.flag("--all", options->all, "show every event");
  verb.flag("--whole", options->whole, "do not look for the one test of a test binary that fails");
  verb.flag("--no-reduce", options->debug.no_reduce,
            "do not leave out threads, iterations, statements and requests that the failure does not need");
  verb.flag("--no-isolate", options->debug.no_isolate, "do not look for the switch that decides");
  verb.flag("--no-slice", options->debug.no_slice, "do not look for the lines that led to the failure");
  verb.when_chosen([&session, options] { session.chosen = [&session, options] { return run_debug(session, *options); }; });
}

constexpr VerbRow kDebugVerb{10, add_debug};
HEDDLE_ROW(verbs, kDebugVerb);

}  // namespace

}  // namespace heddle::cli
