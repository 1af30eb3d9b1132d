// heddle trust: the explicit word after which a bug of somebody else is run like one's own.
#include <unistd.h>

#include <iostream>
#include <string>

#include "cli/print.h"
#include "cli/session.h"
#include "store/bugs.h"
#include "trace/input_log.h"
#include "trace/shell_words.h"

namespace heddle::cli {

namespace {

struct TrustArguments {
  std::string bug;
  bool yes = false;
};

bool confirmed() {
  print_out("Run this when the bug is replayed? [y/N] ");
  std::fflush(stdout);
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "yes" || answer == "Y";
}

int run_trust(const Session& session, const TrustArguments& options) {
  session.no_program("trust");
  const BugStore store;
  const Bug bug = store.load(options.bug);
  const Seal::Verdict verdict = store.check(bug);
  if (verdict.own && verdict.changed.empty()) {
    print_out("bug {} was saved by this user's heddle and is unchanged\n", bug.id);
    return exit_value(ExitCode::kNothing);
  }
  print_out("bug {}  {}: {}\n", bug.id, bug.kind, bug.message.substr(0, bug.message.find('\n')));
  print_out("  runs        {}\n  in          {}\n", shell_words(bug.command), bug.directory);
  if (bug.fails_if) print_out("  judged by   {}\n", *bug.fails_if);
  for (const RecordedFile& file : store.changed_files(bug))
    print_out("  shows it    {} ({} bytes) as recorded\n", file.path, file.bytes.size());
  if (verdict.own) {
    for (const std::string& name : verdict.changed) print_out("  changed     {}\n", name);
  }
  if (!options.yes && (::isatty(0) != 1 || ::isatty(1) != 1)) {
    print_err("heddle: not trusted: add --yes after you have read what it runs\n");
    return exit_value(ExitCode::kCannotTest);
  }
  if (!options.yes && !confirmed()) {
    print_out("not trusted\n");
    return exit_value(ExitCode::kCannotTest);
  }
  store.trust(bug);
  print_out("bug {} is trusted\n", bug.id);
  return exit_value(ExitCode::kNothing);
}

}  // namespace

namespace {

void add_trust(CLI::App& app, Session& session) {
  Verb verb(app, "trust", "show what a bug saved by somebody else would run, and allow it", TakesProgram::kNo);
  verb.exit_codes("allowed", "", "not allowed");
  auto options = std::make_shared<TrustArguments>();
  verb.positional("BUG", options->bug, "a saved bug [the latest]");
  verb.flag("--yes", options->yes, "do not ask");
  verb.when_chosen([&session, options] { session.chosen = [&session, options] { return run_trust(session, *options); }; });
}

constexpr VerbRow kTrustVerb{151, add_trust};
HEDDLE_ROW(verbs, kTrustVerb);

}  // namespace

}  // namespace heddle::cli
