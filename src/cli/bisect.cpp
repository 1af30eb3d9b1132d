// heddle bisect: which commit brought a bug.
#include <fmt/format.h>

#include "cli/anchoring.h"
#include "cli/history.h"
#include "cli/print.h"
#include "cli/results.h"
#include "cli/verification.h"
#include "exec/capture.h"

namespace heddle::cli {

namespace {

struct BisectArguments {
  std::string bug;
  std::string build;
  std::string good, bad = "HEAD";
  VerifyLimits limits;
  bool json = false;
};

// What became of one commit.
struct Visit {
  std::string commit;
  std::string word;  // "good", "bad" or "skip", as git says
  std::string why;
};

class Bisection {
 public:
  Bisection(const Session& session, const BisectArguments& options, VerifySubject subject)
      : session_(session), options_(options), subject_(std::move(subject)), progress_(options.json) {}

  int go() {
    const std::string bad = history_.commit(options_.bad);
    if (visit(bad).word != "bad") return nothing(fmt::format("the bug does not show in {}: {}", options_.bad, visits_.back().why));
    const std::string good = options_.good.empty() ? some_good(bad) : history_.commit(options_.good);
    if (stop_flag()) return exit_value(ExitCode::kInterrupted);
    if (good.empty()) return nothing("it shows in every commit that could be tried, back to the first");
    if (!options_.good.empty() && visit(good).word != "good")
      return nothing(fmt::format("{} already has it: {}", options_.good, visits_.back().why));
    return narrow(bad, good);
  }

 private:
  // Further and further back, until it does not show.
  std::string some_good(const std::string& bad) {
    for (uint64_t steps = 1; !stop_flag(); steps *= 2) {
      std::string at = bad;
      uint64_t went = 0;
      while (went < steps && history_.has_parent(at)) {
        at = history_.commit(at + "^");
        ++went;
      }
      if (visit(at).word == "good") return at;
      if (went < steps) return {};
    }
    return {};
  }

  int narrow(const std::string& bad, const std::string& good) {
    history_.start(bad, good);
    History::Answer answer;
    for (;;) {
      const std::string commit = history_.current();
      const Visit seen = visit(commit);
      if (stop_flag()) return exit_value(ExitCode::kInterrupted);
      answer = history_.mark(commit, seen.word);
      if (!answer.first_bad.empty()) return found(answer.first_bad);
      if (!answer.candidates.empty()) break;
    }
    std::string names;
    for (const std::string& c : answer.candidates) names += fmt::format("{}{}", names.empty() ? "" : ", ", history_.shown(c));
    return nothing(fmt::format("only commits that cannot be tested are left, it is one of: {}", names));
  }

  Visit visit(const std::string& commit) {
    for (const Visit& v : visits_) {
      if (v.commit == commit) return v;
    }
    progress_.show(fmt::format("bisect: {}", history_.shown(commit)));
    history_.check_out(commit);
    visits_.push_back(judge(commit));
    progress_.clear();
    if (!options_.json) print_err("{:<5} {}: {}\n", visits_.back().word, history_.shown(commit), visits_.back().why);
    return visits_.back();
  }

  Visit judge(const std::string& commit) {
    const Captured built = run_command({"/bin/sh", "-c", options_.build}, history_.directory());
    if (built.code() != 0) return {commit, "skip", fmt::format("does not build (exit code {})", built.code())};
    try {
      std::vector<std::string> words = session_.program();
      words.front() = history_.path(words.front());
      Target target = Target::resolve(words, history_.directory());
      target.arguments = session_.program();
      const Verified v = verify_build(subject_, target, options_.limits, progress_);
      switch (v.verdict) {
        case VerifyVerdict::kStillFails: return {commit, "bad", sentence(v, subject_)};
        case VerifyVerdict::kFixed: return {commit, "good", sentence(v, subject_)};
        case VerifyVerdict::kFailsDifferently: return {commit, "skip", sentence(v, subject_)};
        case VerifyVerdict::kCannotTell: break;
      }
      // A commit in which the code of the bug does not exist yet does not have it.
      if (!v.code_is_there && v.executions > 0 && !v.failure)
        return {commit, "good", fmt::format("the code of the bug is not there: {}", v.reasons.front())};
      return {commit, "skip", sentence(v, subject_)};
    } catch (const Error& error) {
      if (error.exit_code() == ExitCode::kInterrupted) throw;
      return {commit, "skip", error.what()};
    }
  }

  Json json_visits() const {
    Json all = Json::array();
    for (const Visit& v : visits_) all.push_back({{"commit", v.commit}, {"result", v.word}, {"why", v.why}});
    return all;
  }

  int found(const std::string& commit) {
    std::string why;
    for (const Visit& v : visits_) {
      if (v.commit == commit) why = v.why;
    }
    if (options_.json) {
      print_json(
          {{"verdict", "found"}, {"commit", commit}, {"subject", history_.shown(commit)}, {"why", why}, {"evidence", json_visits()}});
    } else {
      print_out("{} is the first commit with it: {}\n", commit, history_.shown(commit));
      print_out("  {}\n", why);
      for (const Visit& v : visits_) print_out("  {:<5} {}  {}\n", v.word, v.commit.substr(0, 12), v.why);
    }
    return exit_value(ExitCode::kNothing);
  }

  int nothing(const std::string& why) {
    if (options_.json) {
      print_json({{"verdict", "cannot-tell"}, {"why", why}, {"evidence", json_visits()}});
    } else {
      print_out("no commit can be named: {}\n", why);
    }
    return exit_value(ExitCode::kCannotTest);
  }

  const Session& session_;
  const BisectArguments& options_;
  const VerifySubject subject_;
  Progress progress_;
  History history_;
  std::vector<Visit> visits_;
};

int run_bisect(const Session& session, const BisectArguments& options) {
  VerifySubject subject = load_subject(options.bug);
  if (options.build.empty()) throw Error("--build says how a commit is built: --build 'make prog'", ExitCode::kUsage);
  session.program();
  catch_interrupts();
  return Bisection(session, options, std::move(subject)).go();
}

void add_bisect(CLI::App& app, Session& session) {
  Verb verb(app, "bisect", "find the commit of the git history that introduced a bug", TakesProgram::kBesideBug);
  verb.exit_codes("the commit was found", "", "it was not found");
  auto options = std::make_shared<BisectArguments>();
  options->limits.seconds = 30;
  verb.positional("BUG", options->bug, "a saved bug [the latest], or a replay string hd2:...");
  verb.text("--build", options->build, "builds a commit; a commit for which it fails is skipped", "COMMAND");
  verb.text("--good", options->good, "a commit without the bug [one is looked for]", "REVISION");
  verb.text("--bad", options->bad, "a commit that has the bug", "REVISION");
  verb.seconds("--time", options->limits.seconds, "seconds for each commit at most, 0 for no limit");
  verb.number("--jobs,-j", options->limits.jobs, "runs at a time, 0 for one per core");
  verb.flag("--json", options->json, "one JSON document on stdout and nothing else there");
  verb.when_chosen([&session, options] { session.chosen = [&session, options] { return run_bisect(session, *options); }; });
}

constexpr VerbRow kBisectVerb{68, add_bisect};
HEDDLE_ROW(verbs, kBisectVerb);

}  // namespace

}  // namespace heddle::cli
