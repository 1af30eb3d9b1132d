// Whether what a saved bug names may be run, and the campaign that it came from.
#include "cli/reopen.h"

#include <fmt/format.h>
#include <unistd.h>

#include "cli/print.h"
#include "symbols/symbols.h"
#include "trace/clean_text.h"
#include "trace/shell_words.h"

namespace heddle::cli {

namespace {

std::string joined(const std::vector<std::string>& names) {
  constexpr size_t kMostNames = 5;
  const size_t shown = std::min(names.size(), kMostNames);
  const std::string text = fmt::format("{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  return names.size() > shown ? fmt::format("{} and {} more", text, names.size() - shown) : text;
}

void refuse_unless_own(const Bug& bug, const Seal::Verdict& verdict) {
  if (!verdict.own) {
    const std::string why = key_complaint().empty() ? std::string("this user's heddle did not save it")
                                                    : fmt::format("who saved it is not known ({})", key_complaint());
    throw Error(fmt::format("bug {} is not run: {}. It asks for `{}` in {}. Name the program after --, or look at it with heddle trust {}",
                            bug.id, why, clean_line(shell_words(bug.command)), bug.directory, bug.id));
  }
  if (!verdict.changed.empty()) {
    throw Error(fmt::format("bug {} is not as it was saved: {} changed. heddle trust {} takes it as it is now", bug.id,
                            joined(verdict.changed), bug.id));
  }
}

// The program that was named for a bug must be the one that it speaks of.
void refuse_another_build(const Bug& bug, const Target& target) {
  const std::string build_id = Symbols({target.program}).build_id(0);
  if (build_id == bug.build_id) return;
  throw Error(fmt::format("{} is not the program of bug {}: its build is {}, the bug's {}", target.arguments.front(), bug.id,
                          build_id.empty() ? "unknown" : build_id, bug.build_id.empty() ? "unknown" : bug.build_id));
}

}  // namespace

Reopened reopen(const std::string& name, const Session& session, const ReopenOptions& how) {
  const BugStore store;
  Reopened r;
  r.bug = store.load(name);
  const Seal::Verdict verdict = store.check(r.bug);
  const bool own = verdict.own && verdict.changed.empty();
  if (!session.command_given) refuse_unless_own(r.bug, verdict);
  Target target = session.command_given ? Target::resolve(session.program()) : Target::resolve(r.bug.command, r.bug.directory);
  if (session.command_given && !how.other_build) refuse_another_build(r.bug, target);
  // What a variable can do (LD_PRELOAD) is not a stranger's to say.
  if (own) target.set_variables(r.bug.environment, r.bug.whole_environment);
  if (!own && r.bug.fails_if) {
    throw Error(fmt::format("bug {} is judged by a command that this user's heddle did not save: `{}`. heddle trust {} lets it run",
                            r.bug.id, *r.bug.fails_if, r.bug.id));
  }
  if (!own) {
    // What is saved of it from now on names what this user named.
    r.bug.command = target.arguments;
    r.bug.program = target.program;
    r.bug.directory = target.directory;
    r.bug.environment.clear();
    r.bug.whole_environment = false;
  }
  r.options.test = r.bug.test;
  r.options.environment = r.bug.environment;
  r.options.whole_environment = r.bug.whole_environment;
  r.options.jobs = how.jobs;
  r.options.fresh = how.fresh;
  r.options.carrier = how.carrier.empty() ? r.bug.carrier : how.carrier;
  Predicates predicates;
  predicates.expect_exit = r.bug.expect_exit;
  predicates.expect_stdout = r.bug.expect_stdout;
  predicates.fails_if_output = r.bug.fails_if_output;
  predicates.fails_if = r.bug.fails_if;
  predicates.ctest_rule = r.bug.ctest_rule;
  auto input = Input::of_bytes(store.text(r.bug, how.last_live ? kLiveStdin : kStdin));
  if (how.live_input) {
    if (::isatty(0) != 1) input = input_of_tool();
  } else {
    // A file may be a program or a library.
    auto files = store.changed_files(r.bug, how.last_live ? kLiveInputs : kInputs);
    if (own) {
      r.options.files = std::move(files);
    } else if (!files.empty()) {
      print_err("heddle: {} recorded files are not shown to the program, because this user's heddle did not save them\n", files.size());
    }
    const Trace failing = store.load_trace(r.bug, how.last_live ? kLiveTrace : kFailingTrace);
    if (failing.data().first != 0 && !how.from_checkpoint)
      throw Error(fmt::format(
          "the first {} events of bug {} were not kept: only heddle replay and heddle debug can run it, from a checkpoint and exactly",
          failing.data().first, r.bug.id));
    if (!failing.inputs().calls.empty()) r.options.inputs = failing.data().inputs;
    if (failing.inputs().lost > 0) print_err("heddle: more input came than the log holds: the rest is read live\n");
  }
  r.campaign = std::make_unique<Campaign>(target, r.options, predicates, input);
  return r;
}

std::string current_build_id(const Bug& bug) { return Symbols({bug.program}).build_id(0); }

}  // namespace heddle::cli
