// heddle check: explore all schedules up to a preemption bound and say so.
#include "search/check.h"

#include <fmt/format.h>

#include "cli/pipeline.h"
#include "cli/session.h"

namespace heddle {

namespace {

struct Options {
  CampaignOptions campaign;
  uint32_t bound = 2;
  bool no_reduction = false;
};

Json json_certificate(const Certificate& c) {
  return {{"points", points_name(c.points)}, {"sites", c.sites},         {"bound", c.bound},
          {"schedules", c.schedules},        {"pruned", c.pruned},       {"timeouts", c.timeouts},
          {"complete_below", c.complete},    {"exhausted", c.exhausted}, {"open", c.open}};
}

int run(const Session& session, const Options& options) {
  const Target target = Target::resolve(session.program());
  const Predicates predicates = options.campaign.predicates();
  catch_interrupts();
  Campaign campaign(target, options.campaign, predicates, input_of_tool());
  Progress progress(options.campaign.json);
  SearchOptions search = search_options(campaign, options.campaign);
  search.depth = options.bound;
  CheckOptions check_options;
  check_options.bound = options.bound;
  check_options.reduce = !options.no_reduction;
  check_options.find = options.campaign.find_options();
  // A proof takes what it takes, unless the user says otherwise.
  if (!options.campaign.executions) check_options.find.executions = ~uint64_t{0};
  if (!options.campaign.seconds) check_options.find.seconds = 0;
  check_options.find.progress = [&](const FindProgress& p) {
    progress.show(fmt::format("check: {} runs, {} schedules, {:.1f} s", p.executions, p.schedules, p.seconds));
  };
  CheckResult result;
  try {
    result = check(search, campaign.pool(), check_options);
  } catch (const Error& error) {
    if (error.exit_code() != ExitCode::kInterrupted) throw;
    result.certificate.open = "interrupted";
  }
  progress.clear();
  Found found;
  found.result = result.found;
  if (result.found.found()) believe_first(campaign, found);
  print_notes(campaign, found.failing ? &*found.failing : nullptr);

  Saving saving;
  std::optional<Bug> bug;
  CampaignOptions as_found = options.campaign;
  if (found.failing) {
    bug = campaign.bug_of(*found.failing, as_found);
    bug->strategy = "check";
    saving.attempt([&] { bug = save_failure(campaign, as_found, found); });
  }
  const Certificate& c = result.certificate;
  const char* verdict = found.failing ? "failure" : result.proved() ? "proved" : "inconclusive";
  if (options.campaign.json) {
    Json document = {{"verdict", verdict}};
    if (found.failing) document["failure"] = json_failure(*found.failing);
    if (!found.uncontrolled.empty()) document["uncontrolled"] = found.uncontrolled;
    document["certificate"] = json_certificate(c);
    document["find"] = {{"executions", result.found.executions}, {"seconds", result.found.seconds}, {"strategy", "check"}};
    if (found.failing) document["found"] = json_counts(found.failing->counts(), true);
    if (bug) document["bug"] = BugStore::shown(bug->id);
    print_json(document);
  } else if (bug) {
    fmt::print("BUG {}  {}\n", bug->id, describe_failure(*found.failing));
    fmt::print("FOUND  run {}, {:.2f} s: {}; all schedules with fewer than {} preemptions pass\n", result.found.executions,
               result.found.seconds, describe_counts(found.failing->counts()), c.complete);
    fmt::print("NEXT   heddle simplify {} · heddle explain {}\n", bug->id, bug->id);
  } else if (!found.uncontrolled.empty()) {
    fmt::print("uncontrolled nondeterminism: {}\n", found.uncontrolled);
  } else {
    fmt::print("{}: {} schedules with at most {} preemptions over the {} points ({} places), {:.2f} s{}{}\n",
               result.proved() ? "proved" : "not proved", c.schedules, c.bound, points_name(c.points), c.sites, result.found.seconds,
               c.open.empty() ? "" : "; open: ", c.open);
  }
  if (found.failing) return saving.exit_code(ExitCode::kFailure);
  if (stop_flag()) return exit_value(ExitCode::kInterrupted);
  return exit_value(result.proved() ? ExitCode::kNothing : ExitCode::kCannotTest);
}

}  // namespace

void add_check(CLI::App& app, Session& session) {
  Verb verb(app, "check", "explore all schedules up to a preemption bound");
  auto options = std::make_shared<Options>();
  options->campaign.add_to(verb);
  verb.number("--bound", options->bound, "the most preemptions of a schedule");
  verb.flag("--no-reduction", options->no_reduction, "execute every schedule, equivalent ones too");
  verb.when_chosen([&session, options] { session.chosen = [&session, options] { return run(session, *options); }; });
}

}  // namespace heddle
