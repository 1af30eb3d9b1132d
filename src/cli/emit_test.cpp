// heddle emit-test: a regression test that forces the interleaving of a bug, for the user's own suite.
#include <fmt/format.h>

#include "cli/anchoring.h"
#include "cli/pipeline.h"
#include "cli/print.h"
#include "cli/test_text.h"
#include "store/atomic_file.h"
#include "trace/clean_text.h"
#include "trace/shell_words.h"

namespace heddle::cli {

namespace {

struct EmitArguments {
  std::string bug;
  std::string format = "ctest";
  std::string target;
  std::string output;
};

std::vector<std::string> places_of(const Anchors& anchors) {
  std::vector<std::string> places;
  for (const Anchor& end : anchors.ends) {
    if (!end.ready || end.after.empty()) continue;
    places.push_back(fmt::format("thread {} stops before it {}", anchors.threads[end.thread].path,
                                 operation_words(anchors.operations[end.after.front().operation])));
  }
  if (places.empty()) places.emplace_back("no thread is preempted; the order in which they run decides");
  return places;
}

EmittedTest test_of(const VerifySubject& subject) {
  if (subject.bug.fails_if)
    throw Error(fmt::format("bug {} is judged by a command (`{}`), which cannot be part of a test", subject.bug.id, *subject.bug.fails_if));
  if (subject.asks_peers)
    throw Error(fmt::format("bug {} needs what other processes sent, which cannot be part of a test", subject.bug.id));
  EmittedTest test;
  test.id = subject.bug.id;
  test.failure = fmt::format("{}: {}", subject.bug.kind, subject.bug.message);
  test.places = places_of(subject.anchors);
  test.command = subject.bug.command;
  test.replay = encode_replay(replay_string_of(subject.bug, *subject.failing, subject.anchors));
  test.input = subject.input->bytes();
  return test;
}

int run_emit(const Session& session, const EmitArguments& options) {
  if (is_replay_string(options.bug)) throw Error("emit-test takes a saved bug, not a replay string", ExitCode::kUsage);
  VerifySubject subject = load_subject(options.bug);
  if (session.command_given) subject.bug.command = session.program();
  // Whoever runs the test runs what it names.
  if (!subject.own && !session.command_given)
    throw Error(fmt::format("bug {} would have its test run `{}`, and this user's heddle did not save it: name the program after --",
                            subject.bug.id, clean_line(shell_words(subject.bug.command))));
  const EmittedTest test = test_of(subject);
  std::string text;
  if (options.format == "shell") text = shell_test(test);
  if (options.format == "ctest") text = ctest_test(test, options.target);
  if (options.format == "gtest") text = gtest_test(test);
  if (options.format == "catch2") text = catch2_test(test);
  for (const RecordedFile& file : subject.files) print_err("heddle: the test reads {} as it is then, not as it was\n", file.path);
  if (options.output.empty()) {
    write_program_output(stdout, text);
  } else {
    replace_file(options.output, text);
    print_err("heddle: wrote {}\n", options.output);
  }
  return exit_value(ExitCode::kNothing);
}

void add_emit(CLI::App& app, Session& session) {
  Verb verb(app, "emit-test", "write a regression test that forces the interleaving of a bug", TakesProgram::kBesideBug);
  verb.exit_codes("written", "", "cannot be written");
  auto options = std::make_shared<EmitArguments>();
  verb.positional("BUG", options->bug, "a saved bug [the latest]");
  verb.one_of("--format", options->format, {"ctest", "gtest", "catch2", "shell"}, "the kind of test");
  verb.text("--target", options->target, "ctest: the CMake target of the program [its path]", "NAME");
  verb.text("--output,-o", options->output, "where to write it [standard output]", "FILE");
  verb.when_chosen([&session, options] { session.chosen = [&session, options] { return run_emit(session, *options); }; });
}

constexpr VerbRow kEmitVerb{66, add_emit};
HEDDLE_ROW(verbs, kEmitVerb);

}  // namespace

}  // namespace heddle::cli
