// heddle verify: is a bug gone from the build that was made after the fix?
#include <fmt/format.h>

#include "cli/print.h"
#include "cli/story.h"
#include "cli/terminal.h"
#include "cli/verdict_words.h"
#include "cli/verification.h"
#include "trace/shell_words.h"

namespace heddle::cli {

namespace {

struct VerifyArguments {
  std::string bug;
  VerifyLimits limits;
  bool json = false;
};

ExitCode exit_of(VerifyVerdict verdict) {
  switch (verdict) {
    case VerifyVerdict::kFixed: return ExitCode::kNothing;
    case VerifyVerdict::kStillFails:
    case VerifyVerdict::kFailsDifferently: return ExitCode::kFailure;
    case VerifyVerdict::kCannotTell: break;
  }
  return ExitCode::kCannotTest;
}

int run_verify(const Session& session, const VerifyArguments& options) {
  const VerifySubject subject = load_subject(options.bug);
  // Nothing that a bug names is run here: the question is about a program that the user has at hand.
  if (!session.command_given) {
    throw Error(fmt::format("name the new build after --: heddle verify{} -- {}", options.bug.empty() ? "" : " BUG",
                            shell_words(subject.bug.command)),
                ExitCode::kUsage);
  }
  const Target target = Target::resolve(session.program());
  catch_interrupts();
  Progress progress(options.json);
  const Verified verified = verify_build(subject, target, options.limits, progress);
  if (options.json) {
    print_json(json_verified(verified, subject));
  } else {
    print_out("{}", text_verified(verified, subject));
    if (verified.failure && !verified.failure->same) print_out("NEXT   heddle debug -- {}\n", shell_words(session.program()));
  }
  if (stop_flag()) return exit_value(ExitCode::kInterrupted);
  return exit_value(exit_of(verified.verdict));
}

void add_verify(CLI::App& app, Session& session) {
  Verb verb(app, "verify", "check whether a bug is gone from a newer build", TakesProgram::kBesideBug);
  verb.exit_codes("fixed", "still fails, or fails differently", "cannot tell");
  auto options = std::make_shared<VerifyArguments>();
  verb.positional("BUG", options->bug, "a saved bug [the latest], or a replay string hd2:...");
  verb.seconds("--time", options->limits.seconds, "seconds to spend at most, 0 for no limit");
  verb.number("--executions", options->limits.enumerated, "runs to spend at most on enumerating all schedules");
  verb.number("--samples", options->limits.sampled, "schedules to sample at most");
  verb.fraction("--miss", options->limits.miss, "the largest probability of having missed the bug that counts as fixed");
  verb.number("--seed", options->limits.seed, "random seed");
  verb.number("--jobs,-j", options->limits.jobs, "runs at a time, 0 for one per core");
  verb.one_of("--carrier", options->limits.carrier, kCarriers, "[as found]");
  verb.flag("--json", options->json, "one JSON document on stdout and nothing else there");
  verb.when_chosen([&session, options] { session.chosen = [&session, options] { return run_verify(session, *options); }; });
}

constexpr VerbRow kVerifyVerb{64, add_verify};
HEDDLE_ROW(verbs, kVerifyVerb);

}  // namespace

}  // namespace heddle::cli
