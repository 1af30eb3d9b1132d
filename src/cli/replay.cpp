// heddle replay: run a saved schedule again and say whether it is the same, event by event.
#include <fmt/format.h>

#include "cli/checkpoints.h"
#include "cli/gdb.h"
#include "cli/pipeline.h"
#include "cli/plain_anchors.h"
#include "cli/print.h"
#include "cli/reopen.h"
#include "cli/replay_from.h"
#include "cli/same_output.h"
#include "cli/session.h"
#include "cli/story.h"
#include "cli/terminal.h"
#include "cli/verification.h"
#include "store/replay_string.h"
#include "trace/shell_words.h"

namespace heddle::cli {

namespace {

struct ReplayArguments {
  std::string bug;
  bool found = false;    // the schedule as it was found
  bool reduced = false;  // the run with whole threads removed
  bool gdb = false;
  std::string gdb_commands;
  std::vector<std::string> gdb_words;
  std::string from, to;
  bool relaxed = false;
  unsigned repeat = 1;
  std::string carrier;
  bool json = false;
  bool fresh = false;
  bool live_input = false;
  bool last_live = false;  // what a run with live input recorded
  bool anchored = false;   // on another build
};

const char* trace_name(const ReplayArguments& options, const Bug& bug, const BugStore& store) {
  if (options.last_live) return kLiveTrace;
  if (options.reduced) return kReducedTrace;
  return !options.found && store.has(bug, kSimplifiedTrace) ? kSimplifiedTrace : kFailingTrace;
}

// Says that the schedule is another build's, or refuses it.
bool is_same_build(const ReplayString& pasted, const std::string& build_id, bool relaxed) {
  if (build_id == pasted.build_id) return true;
  const std::string recorded = pasted.build_id.empty() ? "?" : pasted.build_id;
  const std::string present = build_id.empty() ? "?" : build_id;
  if (!relaxed) {
    throw Error(fmt::format("the schedule was recorded with build {} of the program, this is build {}: {}", recorded, present,
                            pasted.anchors ? "--anchored fits it to this one, --relaxed follows it as far as it goes"
                                           : "--relaxed follows it as far as it goes"));
  }
  print_err(
      "heddle: THE PROGRAM CHANGED: the schedule was recorded with build {}, this is build {}. Its places may "
      "mean other code; it is followed as far as it goes.\n",
      recorded, present);
  return false;
}

void print_pasted(const RunResult& result, std::string_view verdict) {
  write_program_output(stdout, result.output.out);
  write_program_output(stderr, result.output.err);
  if (verdict == "failure") {
    const Symbols symbols(module_paths(result.trace));
    print_out("reproduced: {}\n", ending_sentence(result.trace, symbols));
  } else if (verdict == "passed") {
    print_out("not reproduced: the program passed\n");
  } else {
    print_out("diverged: {}\n", describe_failure(result.trace));
  }
}

Json json_counts(const Trace& trace, std::string_view verdict) {
  const Counts c = trace.counts();
  Json document = {{"verdict", verdict}};
  document["failure"] = json_failure(trace);
  document["events"] = c.events;
  document["switches"] = c.switches;
  document["preemptions"] = c.preemptions;
  return document;
}

// A schedule that somebody pasted. Nothing of it is saved here, and nothing that it names is run: the program is the one given after --.
int replay_pasted(const Session& session, const ReplayArguments& options) {
  const ReplayString pasted = decode_replay(options.bug);
  if (!session.command_given) {
    throw Error(fmt::format("a replay string runs nothing by itself: name the program after --. It was made with `{}`",
                            shell_words(pasted.command)),
                ExitCode::kUsage);
  }
  const Target target = Target::resolve(session.program());
  const bool same_build = is_same_build(pasted, Symbols({target.program}).build_id(0), options.relaxed);
  CampaignOptions campaign_options;
  campaign_options.jobs = 1;
  if (!options.carrier.empty()) campaign_options.carrier = options.carrier;
  Predicates predicates;
  predicates.expect_exit = pasted.expect_exit;
  predicates.expect_stdout = pasted.expect_stdout;
  predicates.fails_if_output = pasted.fails_if_output;
  predicates.ctest_rule = pasted.ctest_rule;
  Campaign campaign(target, campaign_options, predicates, input_of_tool());
  Plan plan = pasted.plan;
  plan.limits = campaign.base().limits;
  if (!same_build || options.relaxed) plan.strictness = Strictness::kRelaxed;
  if (plan.input_id != campaign.input().id()) {
    print_err("heddle: the program read another input when the schedule was recorded\n");
    plan.input_id = campaign.input().id();
    plan.strictness = Strictness::kRelaxed;
  }
  put_in_code(campaign, plan);
  const RunResult result = campaign.pool().run_now(plan);
  print_notes(campaign, nullptr);
  const Trace& trace = result.trace;
  const bool fails = campaign.fails(trace) && !is_inconclusive(trace.outcome());
  const bool same = fails && name(trace.outcome().kind) == pasted.kind && signature(trace) == pasted.signature;
  const std::string_view verdict = same ? "failure" : fails || is_inconclusive(trace.outcome()) ? "diverged" : "passed";
  if (options.json) {
    Json document = json_counts(trace, verdict);
    document["same_build"] = same_build;
    print_json(document);
  } else {
    print_pasted(result, verdict);
  }
  if (same) return exit_value(ExitCode::kFailure);
  return exit_value(verdict == "passed" ? ExitCode::kNothing : ExitCode::kCannotTest);
}

// The schedule on another build, fitted by its anchors, and those around it. Nothing hangs on a clock: the answer is the same every time.
int replay_anchored(const Session& session, const ReplayArguments& options) {
  const VerifySubject subject = load_subject(options.bug);
  if (!session.command_given)
    throw Error(fmt::format("name the build after --: it was found with `{}`", shell_words(subject.bug.command)), ExitCode::kUsage);
  const Target target = Target::resolve(session.program());
  VerifyLimits limits;
  limits.seconds = 0;
  limits.only_anchors = true;
  limits.carrier = options.carrier;
  limits.jobs = 1;
  Progress progress(options.json);
  const Verified verified = verify_build(subject, target, limits, progress);
  const bool passed = verified.verdict == VerifyVerdict::kFixed;
  if (options.json) {
    Json document = {{"verdict", verified.failure ? "failure" : passed ? "passed" : "diverged"}};
    if (verified.failure) document["failure"] = json_failure(verified.failure->trace);
    if (verified.failure) document["same"] = verified.failure->same;
    if (!verified.reasons.empty()) document["difference"] = verified.reasons.front();
    document["anchors"] = {{"exact", verified.anchors.exact}, {"moved", verified.anchors.moved}, {"lost", verified.anchors.lost}};
    document["runs"] = verified.executions;
    print_json(document);
  } else if (verified.failure) {
    print_out("{}: {}\n", verified.failure->same ? "reproduced" : "another failure", verified.failure->words);
  } else if (passed) {
    print_out("not reproduced: {} and those around it pass ({} runs; anchors: {} exact, {} moved, {} lost)\n", subject.shown,
              verified.executions, verified.anchors.exact, verified.anchors.moved, verified.anchors.lost);
  } else {
    print_out("diverged: {}\n", verified.reasons.front());
  }
  if (verified.failure) return exit_value(ExitCode::kFailure);
  return exit_value(passed ? ExitCode::kNothing : ExitCode::kCannotTest);
}

// The first switch that decides; where none is known, the first preemption, else the first switch.
uint64_t deciding_step(const ReplayArguments& options, const Trace& trace) {
  if (!options.found && !options.reduced) {
    const LoadedStory loaded = load_story(options.bug);
    const Story story = loaded.story();
    Names names(story.failing, story.symbols, story.stacks);
    const Diagnosis d = diagnose(names, story);
    if (d.deciding != kNoDifference) return d.deciding + 1;
  }
  for (const TraceSlice& slice : trace.slices()) {
    if (slice.preempted) return slice.end;
  }
  return trace.slices().empty() ? 1 : trace.slices().front().end;
}

// Beside the first recording, which stays: files, peers and standard input as they were this time.
void keep_live_input(const BugStore& store, const Reopened& r, const Trace& trace) {
  store.forget_files(r.bug.id, kLiveInputs);
  const std::vector<std::string> lost = store.save_trace(r.bug.id, kLiveTrace, trace, kLiveInputs);
  for (const std::string& sentence : lost) print_err("heddle: {}\n", sentence);
  store.save_text(r.bug.id, kLiveStdin, r.campaign->input().bytes());
}

// What the failing run wrote, where it is known of this very trace.
std::optional<Output> written_before(const BugStore& store, const Bug& bug, const std::string& name, const Trace& trace) {
  if (name != kFailingTrace || !store.has(bug, kStdout) || !store.has(bug, kStderr) || !output_is_its_own(trace)) return std::nullopt;
  return Output{store.text(bug, kStdout), store.text(bug, kStderr)};
}

struct Replays {
  std::string verdict = "failure";
  std::string difference;
  Trace last;
  Output output;
  unsigned runs = 0;
  bool identical = true;

  // Nothing more is to be learnt from another one.
  bool end(const char* with, std::string why = "") {
    verdict = with;
    if (!why.empty()) difference = std::move(why);
    return false;
  }
};

// One more of them. False: it has settled the verdict.
bool replay_once(Campaign& campaign, const Plan& plan, const Trace& saved, const std::optional<Output>& written, Replays* all) {
  RunResult result = campaign.pool().run_now(plan);
  ++all->runs;
  all->last = result.trace;
  all->output = std::move(result.output);
  const Trace& last = all->last;
  const bool strict = plan.strictness == Strictness::kStrict;
  std::string why;
  if (strict && saved.inputs().lost != 0) {
    all->identical = false;
    return all->end("diverged", kInputLost);
  }
  if (const size_t at = replay_difference(saved, last, &why); at != kNoDifference) {
    all->identical = false;
    all->difference = divergence(last, at, why);
    if (strict) return all->end("diverged");
  }
  if (is_cut(saved) && all->identical) {
    all->verdict = "replayed";
    return true;
  }
  if (is_inconclusive(last.outcome())) return all->end("diverged", describe_failure(last));
  if (same_bug(saved, last)) {
    std::string other = written && strict ? output_difference(*written, all->output) : std::string();
    if (other.empty()) return true;
    all->identical = false;
    return all->end("diverged", std::move(other));
  }
  // Strict replays cannot get here with another failure unless the same events ended differently.
  if (!campaign.fails(last)) return all->end("passed");
  return all->end("diverged", fmt::format("another failure: {}", describe_failure(last)));
}

Json json_replays(const Replays& all, const Reopened& r) {
  Json document = json_counts(all.last, all.verdict);
  document["identical"] = all.identical;
  document["runs"] = all.runs;
  document["carrier"] = r.options.carrier;
  if (!all.difference.empty()) document["difference"] = all.difference;
  document["bug"] = BugStore::shown(r.bug.id);
  return document;
}

void print_replays(const Replays& all, const Reopened& r) {
  auto with_newline = [](const std::string& text) { return text + (text.empty() || text.back() == '\n' ? "" : "\n"); };
  write_program_output(stdout, with_newline(all.output.out));
  write_program_output(stderr, with_newline(all.output.err));
  if (all.verdict == "failure") {
    const Symbols symbols(module_paths(all.last));
    print_out("BUG {}  reproduced{}: {}\n", r.bug.id,
              all.runs > 1 ? fmt::format(" {} times, {}", all.runs, all.identical ? "identically" : "not identically") : "",
              ending_sentence(all.last, symbols));
  } else if (all.verdict == "replayed") {
    print_out("BUG {}  replayed to the end of its recording, {} events\n", r.bug.id, all.last.events().size());
  } else if (all.verdict == "passed") {
    print_out("BUG {}  not reproduced: the program passed\n", r.bug.id);
  } else {
    print_out("BUG {}  diverged in run {}: {}\n", r.bug.id, all.runs, all.difference);
    if (r.bug.build_id != current_build_id(r.bug))
      print_out("the program was rebuilt since the bug was saved: heddle debug finds it again\n");
  }
}

Plan plan_to_replay(const ReplayArguments& options, const Reopened& r, const Trace& saved) {
  Plan plan = r.campaign->replay_plan(saved);
  if (options.relaxed || options.live_input) {
    plan.strictness = Strictness::kRelaxed;
  } else {
    end_soon_after(saved, &plan);
  }
  if (options.live_input) {
    plan.inputs = nullptr;
    plan.input_id = r.campaign->input().id();
  }
  return plan;
}

// The checkpoint to begin at: where the beginning was not kept, or a later place is asked for. nullptr: the start.
const SavedCheckpoint* checkpoint_for(const ReplayArguments& options, const std::vector<SavedCheckpoint>& all, const Trace& saved,
                                      uint64_t step) {
  if (options.from.empty() && saved.data().first == 0) return nullptr;
  const SavedCheckpoint* before = last_before(all, {step, std::nullopt});
  return before == nullptr && saved.data().first != 0 ? &first_of(all, saved) : before;
}

int replay_with_gdb(const ReplayArguments& options, Reopened& r, const Trace& saved, const Plan& plan) {
  const uint64_t step =
      options.from.empty() ? saved.data().first + deciding_step(options, saved) : event_at(r.bug, parse_moment("--from", options.from));
  const std::vector<SavedCheckpoint> all = checkpoints_of(r.bug);
  if (const SavedCheckpoint* checkpoint = checkpoint_for(options, all, saved, step)) {
    const Trace rest = tail_of(saved, checkpoint->step);
    Plan from_there = r.campaign->replay_plan(rest);
    end_soon_after(rest, &from_there);
    print_err("heddle: from the checkpoint after event {}\n", checkpoint->step);
    return replay_in_gdb_from(*r.campaign, *checkpoint, from_there, rest, {options.gdb_commands, options.gdb_words, step, r.options.files});
  }
  if (r.bug.build_id != current_build_id(r.bug))
    print_err("heddle: THE PROGRAM CHANGED since the bug was saved: the schedule may no longer fit\n");
  const Target target = r.campaign->target();
  r.campaign.reset();
  return replay_in_gdb(target, plan, saved, {options.gdb_commands, options.gdb_words, step, r.options.files});
}

int replay_saved(const Session& session, const ReplayArguments& options) {
  const bool in_gdb = options.gdb || !options.gdb_commands.empty();
  Reopened r = reopen(options.bug, session,
                      {.carrier = options.carrier,
                       .fresh = options.fresh,
                       .live_input = options.live_input,
                       .last_live = options.last_live,
                       .other_build = options.relaxed,
                       .from_checkpoint = !options.relaxed});
  const BugStore store;
  const char* const trace_file = trace_name(options, r.bug, store);
  const Trace saved = store.load_trace(r.bug, trace_file);
  const std::optional<Output> written = written_before(store, r.bug, trace_file, saved);
  if (!in_gdb && (saved.data().first != 0 || !options.from.empty() || !options.to.empty()))
    return replay_span(r, saved, {options.from, options.to, options.json}, written);
  const Plan plan = plan_to_replay(options, r, saved);
  if (in_gdb) return replay_with_gdb(options, r, saved, plan);
  Replays all;
  while (all.runs < options.repeat && replay_once(*r.campaign, plan, saved, written, &all)) {
  }
  print_notes(*r.campaign, nullptr);
  if (options.live_input && all.verdict == "failure") keep_live_input(store, r, all.last);
  if (options.json) {
    print_json(json_replays(all, r));
  } else {
    print_replays(all, r);
  }
  if (all.verdict == "failure") return exit_value(ExitCode::kFailure);
  return exit_value(all.verdict == "passed" || all.verdict == "replayed" ? ExitCode::kNothing : ExitCode::kCannotTest);
}

int run_replay(const Session& session, const ReplayArguments& options) {
  // No program begins with a dash: these words are gdb's own.
  if (options.gdb && session.command_given && !session.command.empty() && session.command.front().starts_with("-")) {
    ReplayArguments with_words = options;
    with_words.gdb_words = session.command;
    return run_replay(Session(), with_words);
  }
  catch_interrupts();
  if (options.anchored) return replay_anchored(session, options);
  if (is_replay_string(options.bug)) return replay_pasted(session, options);
  return replay_saved(session, options);
}

void add_replay(CLI::App& app, Session& session) {
  Verb verb(app, "replay", "run a saved schedule again, exactly", TakesProgram::kBesideBug);
  verb.exit_codes("the program passed", "the failure is reproduced", "diverged, or another failure");
  auto options = std::make_shared<ReplayArguments>();
  verb.positional("BUG", options->bug, "a saved bug [the latest], or a replay string hd2:...");
  verb.flag("--gdb", options->gdb,
            "under gdb, stopped before the switch that decides; words after -- that begin with a dash are gdb's own");
  verb.text("--from", options->from,
            "begin at the last checkpoint before N operations, or this long after the start (90s, 2m); with --gdb: stopped at the first "
            "switch after that",
            "N|TIME");
  verb.text("--to", options->to, "end after N operations, or at the first checkpoint after this long", "N|TIME");
  verb.text("--gdb-commands", options->gdb_commands, "under gdb, with these commands instead of the terminal, separated by ;", "COMMANDS");
  verb.flag("--reduced", options->reduced, "replay the run without what heddle reduce left out");
  verb.number("--repeat", options->repeat, "how often");
  verb.flag("--found", options->found, "the schedule as it was found, not the simplified one");
  verb.flag("--live-input", options->live_input,
            "replay the schedule only: files, peers and standard input are read as they are now, and recorded beside the old ones");
  verb.flag("--last-live", options->last_live, "replay with what the last --live-input recorded");
  verb.flag("--anchored", options->anchored,
            "fit the schedule to another build by its places in the source, and try the schedules around it");
  verb.flag("--relaxed", options->relaxed, "go on where the program no longer follows the schedule");
  verb.one_of("--carrier", options->carrier, kCarriers, "[as found]");
  verb.flag("--no-snapshots", options->fresh, "start a new process for each run");
  verb.flag("--json", options->json, "one JSON document on stdout and nothing else there");
  verb.when_chosen([&session, options] { session.chosen = [&session, options] { return run_replay(session, *options); }; });
}

constexpr VerbRow kReplayVerb{60, add_replay};
HEDDLE_ROW(verbs, kReplayVerb);

}  // namespace

}  // namespace heddle::cli
