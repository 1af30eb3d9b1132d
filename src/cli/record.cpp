// heddle record: an ordinary run under a fair time-sliced schedule; kept when it fails.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <ctime>
#include <filesystem>

#include "cli/plain.h"
#include "cli/print.h"
#include "cli/recording.h"
#include "cli/session.h"
#include "store/checkpoint_file.h"
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
  std::vector<std::string> checkpoints;
  std::vector<RecordedFile> originals;  // files that it read and that are no longer there
};

// "10m" is a time, "2G" a size.
Retention retention_of(const std::string& text) {
  if (text.empty()) return {};
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string unit(end, text.data() + text.size());
  const double ms = unit == "s" ? 1e3 : unit == "m" ? 6e4 : unit == "h" ? 3.6e6 : unit == "d" ? 8.64e7 : 0;
  const double bytes = unit == "K" ? 1024.0 : unit == "M" ? 1048576.0 : unit == "G" ? 1073741824.0 : unit == "T" ? 1099511627776.0 : 0;
  if (error != std::errc() || number <= 0 || number > 1e9 || ms + bytes == 0)
    throw Error(fmt::format("--keep: {} is neither a time (10m, 2h) nor a size (500M, 2G)", text), ExitCode::kUsage);
  if (ms != 0) return {std::chrono::milliseconds(static_cast<int64_t>(number * ms)), std::nullopt};
  return {std::nullopt, static_cast<uint64_t>(number * bytes)};
}

void say_checkpoints(const std::vector<std::string>& files) {
  uint64_t bytes = 0, longest = 0;
  for (const std::string& file : files) {
    bytes += std::filesystem::file_size(file);
    longest = std::max(longest, CheckpointReader(file).checkpoint().pause_us);
  }
  print_err("heddle: checkpoints: {}, {} bytes; the program was paused for at most {:.1f} ms\n", files.size(), bytes,
            static_cast<double>(longest) / 1000);
}

// Streams the run to disk. Where that cannot be, the run is kept in memory, which is enough for a short one.
Recorded record_once(const Target& target, const RecordArguments& options, const Plan& plan, const Input& input, const Input* given) {
  const Carrier carrier = carrier_named(options.campaign.carrier);
  const Computing computing = options.campaign.plan.watchdog_given() ? Computing::kWatched : Computing::kFree;
  const auto wanted = [&](const Outcome& outcome) { return options.always || is_failure(outcome, options.campaign.expect_exit); };
  const std::string directory = recording_directory(fresh_id());
  std::unique_ptr<RecordingWriter> writer;
  try {
    writer = std::make_unique<RecordingWriter>(directory, start_text(target, options, input), retention_of(options.keep));
  } catch (const Error& error) {
    print_err("heddle: {}: the run is kept in memory, and only its first {} million events\n", error.what(), kEventCapacity >> 20);
    return {run_plainly(target, runtime_library(), carrier, plan, given, wanted, computing), "", {}, {}};
  }
  const std::chrono::milliseconds every(static_cast<int64_t>(options.checkpoint * 1000));
  Recorded recorded{run_into(*writer, target, runtime_library(), carrier, plan, given, computing, every), directory, {}, {}};
  PlainRun& run = recorded.run;
  if (!run.no_checkpoint.empty()) print_err("heddle: {}\n", run.no_checkpoint);
  if (!run.not_recorded.empty()) {
    print_err("heddle: {}: the recording ends there; heddle recover makes a bug of {}\n", run.not_recorded, directory);
    return recorded;
  }
  const bool keeps = run.events != 0 && wanted(run.trace.outcome());
  if (keeps) {
    writer->finish(run.trace, run.events);
    const auto count = static_cast<double>(run.events);
    const Recording recording = load_recording(directory);
    run.trace = recording.trace;
    recorded.checkpoints = recording.checkpoints;
    recorded.originals = writer->originals().replaced();
    if (options.checkpoint > 0) say_checkpoints(recording.checkpoints);
    print_err("heddle: log: {} events, {} inputs, {} bytes ({:.1f} an event)\n", run.events, run.trace.inputs().calls.size(),
              writer->bytes(), static_cast<double>(writer->bytes()) / count);
  }
  return recorded;
}

void check_retention(const RecordArguments& options) {
  retention_of(options.keep);
  if (!options.keep.empty() && options.checkpoint <= 0)
    throw Error("--keep drops what is older than a checkpoint: --checkpoint SECONDS says how often there is one", ExitCode::kUsage);
  if (options.checkpoint > 0 && options.campaign.carrier != "fiber")
    throw Error("--checkpoint needs --carrier fiber: threads of the kernel cannot be put back", ExitCode::kUsage);
}

int run_record(const Session& session, const RecordArguments& options) {
  const Target target = Target::resolve(session.program());
  check_retention(options);
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
    if (keeps) keep_recording(target, options, input, run.trace, recorded.checkpoints, recorded.originals);
    if (!lost && !recorded.directory.empty()) remove_recording(recorded.directory);
    if (!again) return exit_code_of(run);
    ++plan.tail.seed;
    if (tries % 100 == 0) print_err("heddle: {} runs, no failure yet\n", tries);
  }
}

}  // namespace

namespace {

void add_record(CLI::App& app, Session& session) {
  Verb verb(app, "record", "run the program as usual, and keep the run for debugging when it fails", TakesProgram::kYes);
  verb.exit_codes_of_the_program();
  auto options = std::make_shared<RecordArguments>();
  options->campaign.jobs = 1;
  options->campaign.plan.add_environment_to(verb);
  options->campaign.plan.add_points_to(verb, "sync");
  verb.number("--seed", options->seed, "random seed of the schedule [different each time]");
  verb.number("--quantum", options->quantum, "operations that a thread runs before another may");
  verb.one_of("--carrier", options->campaign.carrier, kCarriers, "what program threads run on: fiber is fast, kernel suits debuggers");
  verb.number("--expect-exit", options->campaign.expect_exit, "any other exit code is a failure");
  verb.flag("--always", options->always, "keep a run that passes, too");
  verb.flag("--retry-until-failure", options->until_failure, "run again, with another schedule, until it fails");
  verb.seconds("--checkpoint", options->checkpoint, "write a checkpoint every SECONDS, from which a replay can begin [none]");
  verb.text("--keep", options->keep, "with --checkpoint: keep only the last part, of this time (10m) or size (2G) [everything]",
            "TIME|SIZE");
  verb.when_chosen([&session, options] { session.chosen = [&session, options] { return run_record(session, *options); }; });
}

constexpr VerbRow kRecordVerb{50, add_record};
HEDDLE_ROW(verbs, kRecordVerb);

}  // namespace

}  // namespace heddle::cli
