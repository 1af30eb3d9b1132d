// heddle record: an ordinary run under a fair time-sliced schedule; kept when it fails.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <ctime>

#include "cli/plain.h"
#include "cli/print.h"
#include "cli/recording.h"
#include "cli/session.h"
#include "store/recording.h"

namespace heddle::cli {

namespace {

// Another schedule each time, as an ordinary machine would give.
uint64_t fresh_seed() {
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  return mix(static_cast<uint64_t>(now), static_cast<uint64_t>(::getpid())) >> 1;
}

std::string fresh_id() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  return fmt::format("{:04}{:02}{:02}-{:02}{:02}{:02}-{}", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min,
                     utc.tm_sec, ::getpid());
}

struct Recorded {
  PlainRun run;
  std::string directory;  // of its recording; empty: its trace is whole
};

// Streams the run to disk. Where that cannot be, the run is kept in memory, which is enough for a short one.
Recorded record_once(const Target& target, const RecordArguments& options, const Plan& plan, const Input& input, const Input* given) {
  const Carrier carrier = carrier_named(options.campaign.carrier);
  const Computing computing = options.campaign.plan.watchdog_given() ? Computing::kWatched : Computing::kFree;
  const auto wanted = [&](const Outcome& outcome) { return options.always || is_failure(outcome, options.campaign.expect_exit); };
  const std::string directory = recording_directory(fresh_id());
  std::unique_ptr<RecordingWriter> writer;
  try {
    writer = std::make_unique<RecordingWriter>(directory, start_text(target, options, input));
  } catch (const Error& error) {
    print_err("heddle: {}: the run is kept in memory, and only its first {} million events\n", error.what(), kEventCapacity >> 20);
    return {run_plainly(target, runtime_library(), carrier, plan, given, wanted, computing), ""};
  }
  Recorded recorded{run_into(*writer, target, runtime_library(), carrier, plan, given, computing), directory};
  PlainRun& run = recorded.run;
  if (!run.not_recorded.empty()) {
    print_err("heddle: {}: the recording ends there; heddle recover makes a bug of {}\n", run.not_recorded, directory);
    return recorded;
  }
  const bool keeps = run.events != 0 && wanted(run.trace.outcome());
  if (keeps) {
    writer->finish(run.trace, run.events);
    const auto count = static_cast<double>(run.events);
    run.trace = load_recording(directory).trace;
    print_err("heddle: log: {} events, {} inputs, {} bytes ({:.1f} an event)\n", run.events, run.trace.inputs().calls.size(),
              writer->bytes(), static_cast<double>(writer->bytes()) / count);
  }
  return recorded;
}

int run_record(const Session& session, const RecordArguments& options) {
  const Target target = Target::resolve(session.program());
  Plan plan = options.campaign.plan.plan();
  plan.tail.kind = PolicyKind::kTimeSlice;
  plan.tail.seed = options.seed.value_or(fresh_seed());
  plan.tail.quantum = options.quantum;
  plan.time = TimeKind::kReal;
  if (!options.campaign.plan.events_given()) plan.limits.events = ~uint64_t{0};
  // What comes from outside is part of the recording; a terminal stays the program's.
  const bool terminal = ::isatty(0) == 1;
  const auto input = terminal ? Input::of_bytes({}) : input_of_tool();
  plan.input_id = input->id();
  ::signal(SIGINT, SIG_IGN);
  ::signal(SIGQUIT, SIG_IGN);
  for (uint64_t tries = 1;; ++tries) {
    const Recorded recorded = record_once(target, options, plan, *input, terminal ? nullptr : input.get());
    const PlainRun& run = recorded.run;
    const bool lost = !run.not_recorded.empty();
    const bool fails = is_failure(run.trace.outcome(), options.campaign.expect_exit);
    const bool keeps = !lost && (options.always || fails);
    const bool again = options.until_failure && !fails && !lost && !is_inconclusive(run.trace.outcome());
    if (!again || keeps) say_how_it_ended(run);
    if (keeps) keep_recording(target, options, input, run.trace);
    if (!lost && !recorded.directory.empty()) remove_recording(recorded.directory);
    if (!again) return exit_code_of(run);
    ++plan.tail.seed;
    if (tries % 100 == 0) print_err("heddle: {} runs, no failure yet\n", tries);
  }
}

}  // namespace

namespace {

void add_record(CLI::App& app, Session& session) {
  Verb verb(app, "record", "an ordinary run, kept for debugging when it fails", TakesProgram::kYes);
  auto options = std::make_shared<RecordArguments>();
  options->campaign.jobs = 1;
  options->campaign.plan.add_environment_to(verb);
  options->campaign.plan.add_points_to(verb);
  verb.number("--seed", options->seed, "random seed of the schedule [different each time]");
  verb.number("--quantum", options->quantum, "operations that a thread runs on");
  verb.one_of("--carrier", options->campaign.carrier, kCarriers, "how program threads are carried");
  verb.number("--expect-exit", options->campaign.expect_exit, "any other exit code is a failure");
  verb.flag("--always", options->always, "keep a run that passes, too");
  verb.flag("--retry-until-failure", options->until_failure, "run again, with another schedule, until it fails");
  verb.when_chosen([&session, options] { session.chosen = [&session, options] { return run_record(session, *options); }; });
}

constexpr VerbRow kRecordVerb{50, add_record};
HEDDLE_ROW(verbs, kRecordVerb);

}  // namespace

}  // namespace heddle::cli
