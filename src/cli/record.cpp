// heddle record: an ordinary run under a fair time-sliced schedule; kept when it fails.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>

#include "cli/finding.h"
#include "cli/plain.h"
#include "cli/print.h"
#include "cli/same_output.h"
#include "cli/session.h"

namespace heddle::cli {

namespace {

struct RecordArguments {
  CampaignOptions campaign;
  std::optional<uint64_t> seed;
  uint64_t quantum = 1000;
  bool always = false;
};

// Another schedule each time, as an ordinary machine would give.
uint64_t fresh_seed() {
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  return mix(static_cast<uint64_t>(now), static_cast<uint64_t>(::getpid())) >> 1;
}

// A recording is replayed once with its output caught: that says in words what failed, and whether it can be had again.
int keep(const Target& target, RecordArguments options, const std::shared_ptr<const Input>& input, const PlainRun& recorded) {
  if (!recorded.trace.inputs().calls.empty()) options.campaign.inputs = recorded.trace.data().inputs;
  Campaign campaign(target, options.campaign, options.campaign.predicates(), input);
  Plan plan = campaign.replay_plan(recorded.trace);
  end_soon_after(recorded.trace, &plan);
  RunResult again = campaign.pool().run_now(plan);
  std::string why;
  bool same = first_difference(recorded.trace, again.trace, &why) == kNoDifference;
  if (!same && is_inconclusive(again.trace.outcome())) why = again.trace.outcome().message;
  if (recorded.trace.inputs().lost != 0) {
    same = false;
    why = kInputLost;
  }
  const Believed failure{same ? again.trace : recorded.trace, again.output, 0, 1, std::nullopt};
  CampaignOptions as_recorded = options.campaign;
  as_recorded.strategy = "record";
  const Bug bug = save_failure(campaign, as_recorded, failure, 0);
  print_err("heddle: recorded {} as {}{}\n", describe_failure(failure.trace), BugStore::shown(bug.id),
            same ? "" : fmt::format(", but it does not replay: {}", why));
  if (same) print_err("heddle: next: heddle debug {}\n", bug.id);
  return exit_code_of(recorded);
}

int run_record(const Session& session, const RecordArguments& options) {
  const Target target = Target::resolve(session.program());
  const uint64_t seed = options.seed.value_or(fresh_seed());
  Plan plan = options.campaign.plan.plan();
  plan.tail.kind = PolicyKind::kTimeSlice;
  plan.tail.seed = seed;
  plan.tail.quantum = options.quantum;
  plan.time = TimeKind::kReal;
  if (!options.campaign.plan.events_given()) plan.limits.events = ~uint64_t{0};
  // What comes from outside is part of the recording; a terminal stays the program's.
  const auto input = ::isatty(0) == 1 ? Input::of_bytes({}) : input_of_tool();
  plan.input_id = input->id();
  ::signal(SIGINT, SIG_IGN);
  ::signal(SIGQUIT, SIG_IGN);
  const auto wanted = [&](const Outcome& outcome) { return options.always || is_failure(outcome, options.campaign.expect_exit); };
  const PlainRun recorded = run_plainly(target, runtime_library(), carrier_named(options.campaign.carrier), plan,
                                        ::isatty(0) == 1 ? nullptr : input.get(), wanted);
  say_how_it_ended(recorded);
  if (!wanted(recorded.trace.outcome())) return exit_code_of(recorded);
  return keep(target, options, input, recorded);
}

}  // namespace

namespace {

void add_record(CLI::App& app, Session& session) {
  Verb verb(app, "record", "an ordinary run, kept for debugging when it fails", TakesProgram::kYes);
  auto options = std::make_shared<RecordArguments>();
  options->campaign.jobs = 1;
  options->campaign.plan.add_environment_to(verb);
  options->campaign.plan.add_points_to(verb);
  verb.number("--seed", options->seed, "of the schedule [another one each time]");
  verb.number("--quantum", options->quantum, "operations that a thread runs on");
  verb.one_of("--carrier", options->campaign.carrier, kCarriers, "how program threads are carried");
  verb.number("--expect-exit", options->campaign.expect_exit, "any other exit code is a failure");
  verb.flag("--always", options->always, "keep a run that passes, too");
  verb.when_chosen([&session, options] { session.chosen = [&session, options] { return run_record(session, *options); }; });
}

constexpr VerbRow kRecordVerb{50, add_record};
HEDDLE_ROW(verbs, kRecordVerb);

}  // namespace

}  // namespace heddle::cli
