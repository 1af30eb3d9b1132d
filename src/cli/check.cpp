// heddle check: explore all schedules up to a preemption bound and say so.
#include "search/check.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/account.h"
#include "cli/closed_check.h"
#include "cli/finding.h"
#include "cli/pipeline.h"
#include "cli/print.h"
#include "cli/session.h"
#include "trace/sight.h"

namespace heddle::cli {

namespace {

struct CheckArguments {
  CampaignOptions campaign;
  uint32_t bound = 2;
  bool no_reduction = false;
  bool race_free = false;

  Reduction reduction() const { return no_reduction ? Reduction::kNone : race_free ? Reduction::kAssumed : Reduction::kWhereSeen; }
};

Json json_certificate(const Certificate& c) {
  return {{"points", points_name(c.points)},
          {"sites", c.sites},
          {"bound", c.bound},
          {"schedules", c.schedules},
          {"pruned", c.pruned},
          {"timeouts", c.timeouts},
          {"spurious_wakeups", 0},
          {"space", space_words(c.timeouts, c.unfair)},
          {"complete_below", c.complete},
          {"reduced", c.reduced},
          {"assumed", c.unseen.empty() ? "" : "race-free: " + c.unseen},
          {"exhausted", c.exhausted},
          {"open", c.open}};
}

const char* verdict_of(const CheckResult& result) { return result.proved() ? "proved" : result.explored() ? "assumed" : "inconclusive"; }

std::string first_words(const CheckResult& result) {
  if (result.proved()) return "proved";
  if (!result.explored()) return "not proved";
  return fmt::format("not proved; it would be if no accesses race ({})", result.certificate.unseen);
}

Json json_check(const CheckResult& result, const Found& found, const std::optional<Bug>& bug, const std::vector<std::string>& unseen) {
  Json document = {{"verdict", found.failed() ? "failure" : verdict_of(result)}};
  if (found.failed()) document["failure"] = json_failure(found.failing());
  if (!found.uncontrolled.empty()) document["uncontrolled"] = found.uncontrolled;
  if (!result.found.cannot_control.empty()) document["inconclusive"] = result.found.cannot_control;
  document["certificate"] = json_certificate(result.certificate);
  document["find"] = {{"executions", result.found.executions}, {"seconds", result.found.seconds}, {"strategy", "check"}};
  if (found.failed()) document["found"] = json_counts(found.failing().counts(), true);
  if (bug) document["bug"] = BugStore::shown(bug->id);
  document["own_locks"] = json_own_locks(found.own_locks);
  document["not_seen"] = unseen;
  return document;
}

constexpr uint64_t kSampleEvents = 20'000;

void print_check(const CheckResult& result, const Found& found, const std::optional<Bug>& bug, const std::vector<std::string>& unseen) {
  const Certificate& c = result.certificate;
  if (bug) {
    print_out("BUG {}  {}\n", bug->id, describe_failure(found.failing()));
    print_out("FOUND  run {}, {:.2f} s: {}; all schedules with fewer than {} preemption{} pass\n", result.found.executions,
              result.found.seconds, describe_counts(found.failing().counts()), c.complete, c.complete == 1 ? "" : "s");
    print_out("NEXT   heddle simplify {} · heddle explain {}\n", bug->id, bug->id);
  } else if (!found.uncontrolled.empty()) {
    print_out("uncontrolled nondeterminism: {}\n", found.uncontrolled);
  } else if (!result.found.cannot_control.empty()) {
    print_out("cannot test: {}\n", result.found.cannot_control);
  } else {
    print_out("{}: {} schedules with at most {} preemption{} over the {} points ({} places), {:.2f} s; {}{}{}\n", first_words(result),
              c.schedules, c.bound, c.bound == 1 ? "" : "s", points_name(c.points), c.sites, result.found.seconds,
              space_words(c.timeouts, c.unfair), c.open.empty() ? "" : "; open: ", c.open);
  }
  if (bug || !found.uncontrolled.empty() || !result.found.cannot_control.empty()) return;
  for (const std::string& sentence : unseen) print_out("{:<10}{}.\n", &sentence == &unseen.front() ? "NOT SEEN" : "", sentence);
}

// Sentences about what is no scheduling point.
std::vector<std::string> not_seen(Campaign& campaign, const CampaignOptions& options, Found& found) {
  if (campaign.learns_points(options) || campaign.pool().threadless() || stop_flag()) return {};
  // Only its modules matter: the beginning of a run shows them.
  Plan sample = campaign.base();
  sample.limits.events = std::min(sample.limits.events, kSampleEvents);
  const Trace trace = campaign.pool().run_now(sample).trace;
  found.own_locks = find_own_locks(module_paths(trace));
  std::vector<std::string> sentences;
  if (const std::vector<std::string> plain = plain_modules(trace); !plain.empty()) sentences.push_back(words_about_plain(plain));
  if (const std::string words = words_about(found.own_locks); !words.empty()) sentences.push_back(words);
  return sentences;
}

int run_check(const Session& session, const CheckArguments& options) {
  const Target target = Target::resolve(session.program());
  const Predicates predicates = options.campaign.predicates();
  catch_interrupts();
  Campaign campaign(target, options.campaign, predicates, input_of_tool());
  Progress progress(options.campaign.json);
  SearchOptions search = search_options(campaign, options.campaign);
  search.depth = options.bound;
  CheckOptions check_options;
  check_options.bound = options.bound;
  check_options.reduction = options.reduction();
  check_options.find = options.campaign.find_options();
  // A proof takes what it takes, unless the user says otherwise.
  if (!options.campaign.executions) check_options.find.executions = ~uint64_t{0};
  if (!options.campaign.seconds) check_options.find.seconds = 0;
  check_options.find.progress = [&](const FindProgress& p) {
    progress.show(fmt::format("check: {} runs, {} schedules, {:.1f} s", p.executions, p.schedules, p.seconds));
  };
  CheckResult result;
  try {
    const Deadline::Scope limit(campaign.pool().deadline(), check_options.find.seconds);
    result = check_closed(campaign, campaign.learns_points(options.campaign), search, check_options);
  } catch (const Error& error) {
    if (error.exit_code() != ExitCode::kInterrupted) throw;
    result.certificate.open = "interrupted";
  }
  progress.clear();
  Found found;
  found.result = result.found;
  for (const FoundFailure& failure : found.result.failures) believe(campaign, found, failure);
  const std::vector<std::string> unseen = not_seen(campaign, options.campaign, found);
  print_notes(campaign, found.failed() ? &found.failing() : nullptr);

  Saving saving;
  std::optional<Bug> bug;
  if (found.failed()) {
    bug = campaign.bug_of(found.failing(), options.campaign);
    bug->strategy = "check";
    saving.attempt([&] { bug = save_failure(campaign, options.campaign, found.believed.front(), found.result.seconds); });
  }
  if (options.campaign.json) {
    print_json(json_check(result, found, bug, unseen));
  } else {
    print_check(result, found, bug, unseen);
  }
  if (found.failed()) return saving.exit_code(ExitCode::kFailure);
  if (stop_flag()) return exit_value(ExitCode::kInterrupted);
  return exit_value(result.explored() ? ExitCode::kNothing : ExitCode::kCannotTest);
}

}  // namespace

namespace {

void add_check(CLI::App& app, Session& session) {
  Verb verb(app, "check", "explore all schedules up to a preemption bound", TakesProgram::kYes);
  verb.exit_codes("no schedule up to the bound fails", "one fails", "not all were tried");
  auto options = std::make_shared<CheckArguments>();
  options->campaign.add_to(verb, kRacyIfInstrumented);
  verb.number("--preemptions,--bound", options->bound, "the most preemptions of a schedule");
  verb.flag("--no-reduction", options->no_reduction, "execute every schedule, equivalent ones too");
  verb.flag("--assume-race-free", options->race_free,
            "skip equivalent schedules although not all memory accesses are seen; the report then says that nothing is proved");
  verb.when_chosen([&session, options] { session.chosen = [&session, options] { return run_check(session, *options); }; });
}

constexpr VerbRow kCheckVerb{40, add_check};
HEDDLE_ROW(verbs, kCheckVerb);

}  // namespace

}  // namespace heddle::cli
