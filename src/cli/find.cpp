// heddle find: search for a failing schedule and keep it.
#include <fmt/format.h>

#include "cli/pipeline.h"
#include "cli/session.h"

namespace heddle {

namespace {

int run(const Session& session, const CampaignOptions& options) {
  const Target target = Target::resolve(session.program());
  const Predicates predicates = options.predicates();
  catch_interrupts();
  Campaign campaign(target, options, predicates, input_of_tool());
  Progress progress(options.json);
  const Found found = find_failure(campaign, options, progress);
  print_notes(campaign, found.failing ? &*found.failing : nullptr);

  Json document = {{"verdict", found.verdict()}};
  std::optional<Bug> bug;
  Saving saving;
  if (found.failing) {
    bug = campaign.bug_of(*found.failing, options);
    saving.attempt([&] { bug = save_failure(campaign, options, found); });
  }
  const int exit_code = saving.exit_code(static_cast<ExitCode>(found.exit_code()));
  if (options.json) {
    if (found.failing) document["failure"] = json_failure(*found.failing);
    if (!found.uncontrolled.empty()) document["uncontrolled"] = found.uncontrolled;
    document["find"] = json_find(found, options);
    if (found.failing) document["found"] = json_counts(found.failing->counts(), true);
    if (bug) document["bug"] = BugStore::shown(bug->id);
    document["knowledge"] = found.result.knowledge;
    print_json(document);
    return exit_code;
  }
  if (bug) {
    fmt::print("BUG {}  {}\n", bug->id, describe_failure(*found.failing));
    fmt::print("FOUND  run {} of the {} search, {:.2f} s: {}\n", found.result.executions, options.strategy_name(), found.result.seconds,
               describe_counts(found.failing->counts()));
    fmt::print("NEXT   heddle simplify {} · heddle explain {} · heddle replay {}\n", bug->id, bug->id, bug->id);
  } else {
    print_nothing_found(found, options);
  }
  return exit_code;
}

}  // namespace

void print_nothing_found(const Found& found, const CampaignOptions& options) {
  if (!found.uncontrolled.empty()) {
    fmt::print("uncontrolled nondeterminism: {}\n", found.uncontrolled);
    return;
  }
  const FindResult& r = found.result;
  fmt::print("no failure in {} runs of the {} search, {:.2f} s, {} different schedules{}\n", r.executions, options.strategy_name(),
             r.seconds, r.last.schedules, r.exhausted ? ": nothing more to try" : "");
  if (!r.knowledge.empty()) fmt::print("{}\n", r.knowledge);
  if (r.inconclusive > 0) fmt::print("{} runs said nothing about the program; the last: {}\n", r.inconclusive, found.inconclusive);
}

void add_find(CLI::App& app, Session& session) {
  Verb verb(app, "find", "search for a failing schedule");
  auto options = std::make_shared<CampaignOptions>();
  options->add_to(verb);
  verb.when_chosen([&session, options] { session.chosen = [&session, options] { return run(session, *options); }; });
}

}  // namespace heddle
