// heddle find: search for a failing schedule and keep it.
#include <fmt/format.h>

#include "cli/finding.h"
#include "cli/pipeline.h"
#include "cli/print.h"
#include "cli/session.h"
#include "cli/shards.h"
#include "cli/story.h"
#include "trace/shell_words.h"

namespace heddle::cli {

namespace {

struct FindArguments {
  CampaignOptions campaign;
  std::string shard;
};

// The first one last, so that it is the latest.
std::vector<Bug> save_all(Campaign& campaign, const CampaignOptions& options, const Found& found, Saving& saving) {
  std::vector<Bug> bugs(found.believed.size());
  for (size_t i = bugs.size(); i-- > 0;) {
    const Believed& b = found.believed[i];
    bugs[i] = b.known ? *b.known : campaign.bug_of(b.trace, options);
    if (!b.known) saving.attempt([&] { bugs[i] = save_failure(campaign, options, b, found.result.seconds); });
  }
  return bugs;
}

// The place of a shard's result, beside its bugs: what heddle merge reads.
suite::SuiteResult shard_result(const Campaign& campaign, const CampaignOptions& whole, const suite::Shard& shard, const Found& found,
                                const std::vector<Bug>& bugs) {
  suite::SuiteResult result;
  result.framework = "find";
  result.subject = shell_words(campaign.target().arguments);
  result.build = campaign.build_id();
  result.seed = whole.plan.seed();
  result.executions = whole.find_options().executions;
  result.shard = shard;
  suite::TestResult test;
  test.name = result.subject;
  test.command = result.subject;
  test.executions = found.result.executions;
  test.seconds = found.result.seconds;
  test.verdict = found.failed()                                        ? suite::TestVerdict::kFailure
                 : !found.uncontrolled.empty()                         ? suite::TestVerdict::kFlaky
                 : std::string_view(found.verdict()) == "inconclusive" ? suite::TestVerdict::kCannotTest
                 : campaign.threadless()                               ? suite::TestVerdict::kNoThreads
                                                                       : suite::TestVerdict::kPassed;
  test.words = found.failed() ? describe_failure(found.failing()) : !found.uncontrolled.empty() ? found.uncontrolled : found.inconclusive;
  for (const Bug& bug : bugs) test.bugs.push_back(BugStore::shown(bug.id));
  if (!bugs.empty()) test.bug = test.bugs.front();
  if (!bugs.empty()) test.signature = bugs.front().signature;
  result.tests.push_back(std::move(test));
  return result;
}

Json json_believed(const Believed& b, const Bug& bug) {
  return {{"failure", json_failure(b.trace)},
          {"execution", b.index + 1},
          {"count", b.count},
          {"known", b.known.has_value()},
          {"found", json_counts(b.trace.counts(), true)},
          {"needs_timing", json_timing(b.trace)},
          {"bug", BugStore::shown(bug.id)}};
}

int run(const Session& session, const FindArguments& arguments) {
  const suite::Shard shard = arguments.shard.empty() ? suite::Shard() : suite::shard_of(arguments.shard);
  CampaignOptions options = arguments.campaign;
  if (!shard.whole()) {
    options.plan.set_seed(shard.seed(options.plan.seed()));
    options.executions = shard.share(options.find_options().executions);
    options.no_retry = true;  // what is known is the same for all shards, and no search
  }
  const Target target = Target::resolve(session.program());
  const Predicates predicates = options.predicates();
  catch_interrupts();
  Campaign campaign(target, options, predicates, input_of_tool());
  Progress progress(options.json);
  const Found found = find_failure(campaign, options, progress);
  print_notes(campaign, found.failed() ? &found.failing() : nullptr);

  Saving saving;
  const std::vector<Bug> bugs = save_all(campaign, options, found, saving);
  if (!arguments.shard.empty()) saving.attempt([&] { save_shard(shard_result(campaign, arguments.campaign, shard, found, bugs)); });
  const int exit_code = saving.exit_code(static_cast<ExitCode>(found.exit_code()));
  if (options.json) {
    Json document = {{"verdict", found.verdict()}};
    if (found.failed()) document["failure"] = json_failure(found.failing());
    if (!found.uncontrolled.empty()) document["uncontrolled"] = found.uncontrolled;
    if (!found.failed() && !found.inconclusive.empty()) document["inconclusive"] = found.inconclusive;
    document["find"] = json_find(found, options);
    if (found.failed()) document["found"] = json_counts(found.failing().counts(), true);
    if (found.failed()) document["needs_timing"] = json_timing(found.failing());
    if (found.failed()) document["bug"] = BugStore::shown(bugs.front().id);
    if (options.keep_going) {
      document["failures"] = Json::array();
      for (size_t i = 0; i < bugs.size(); ++i) document["failures"].push_back(json_believed(found.believed[i], bugs[i]));
    }
    document["knowledge"] = found.result.knowledge;
    if (!found.failed()) document["account"] = json_account(campaign, found, options);
    print_json(document);
    return exit_code;
  }
  for (size_t i = 0; i < bugs.size(); ++i) {
    const Believed& b = found.believed[i];
    print_out("BUG {}  {}\n", bugs[i].id, describe_failure(b.trace));
    if (b.known) {
      print_out("KNOWN  its saved schedule fails again: {}\n", describe_counts(b.trace.counts()));
    } else {
      print_out("FOUND  run {} of the {} search, {:.2f} s: {}\n", b.index + 1, options.strategy_name(), found.result.seconds,
                describe_counts(b.trace.counts()));
    }
    if (!b.known && b.trace.preemptions() == 0) print_out("       It fails without any preemption.\n");
    for (const TimingNeed& need : timing_needs_of(campaign, b.trace)) print_out("TIMING needs that {}\n", need.sentence);
    if (options.keep_going) print_out("       seen in {} of {} runs\n", b.count, found.result.executions);
    print_out("NEXT   heddle simplify {} · heddle explain {} · heddle replay {}\n", bugs[i].id, bugs[i].id, bugs[i].id);
  }
  if (!found.failed() || options.keep_going) print_nothing_found(campaign, found, options);
  return exit_code;
}

void add_find(CLI::App& app, Session& session) {
  Verb verb(app, "find", "search for a failing schedule", TakesProgram::kYes);
  auto options = std::make_shared<FindArguments>();
  options->campaign.add_to(verb, kRacyWhereSeen);
  options->campaign.add_search_to(verb);
  verb.text("--shard", options->shard, "the I-th of N parts of the search; heddle merge joins them", "I/N");
  verb.flag("--keep-going", options->campaign.keep_going, "continue after a failure: report every different one, with counts");
  verb.when_chosen([&session, options] { session.chosen = [&session, options] { return run(session, *options); }; });
}

constexpr VerbRow kFindVerb{30, add_find};
HEDDLE_ROW(verbs, kFindVerb);

}  // namespace

}  // namespace heddle::cli
