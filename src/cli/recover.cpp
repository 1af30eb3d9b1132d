// heddle recover: a recording whose heddle was killed becomes a bug.
#include <fmt/format.h>

#include <filesystem>

#include "cli/print.h"
#include "cli/recording.h"
#include "cli/session.h"
#include "store/recording.h"
#include "symbols/symbols.h"
#include "trace/shell_words.h"

namespace heddle::cli {

namespace {

std::string directory_named(const std::string& name) {
  if (!name.empty() && std::filesystem::is_directory(name)) return name;
  const auto all = list_recordings();
  if (all.empty()) throw Error("no recording is left in .heddle/recordings");
  if (name.empty()) return recording_directory(all.back());
  for (const std::string& id : all) {
    if (id.starts_with(name)) return recording_directory(id);
  }
  throw Error(fmt::format("no recording {} in .heddle/recordings", name));
}

// What lies in a directory may be a stranger's: the program that is run is the one that the user names.
int run_recover(const Session& session, const std::string& name) {
  const Target target = Target::resolve(session.program());
  const std::string directory = directory_named(name);
  Recording recording = load_recording(directory);
  if (!recording.complaint.empty()) print_err("heddle: {}\n", recording.complaint);
  const Started started = parse_start(recording.start, directory);
  if (started.command != target.arguments) throw Error(fmt::format("{} is a recording of: {}", directory, shell_words(started.command)));
  if (started.build_id != Symbols({target.program}).build_id(0))
    throw Error(fmt::format("{} has changed since it was recorded", target.program));
  if (!recording.finished) {
    Outcome end;
    end.kind = OutcomeKind::kLimit;
    end.message = "the recording ends here";
    recording.trace = recording.trace.with_outcome(end);
  }
  keep_recording(target, started.options, started.input, recording.trace, recording.checkpoints);
  remove_recording(directory);
  return exit_value(ExitCode::kNothing);
}

void add_recover(CLI::App& app, Session& session) {
  Verb verb(app, "recover", "turn what was recorded before heddle was killed into a saved bug", TakesProgram::kYes);
  verb.exit_codes("done", "", "cannot be done");
  auto name = std::make_shared<std::string>();
  verb.text("--recording", *name, "which one in .heddle/recordings [the newest]", "ID");
  verb.when_chosen([&session, name] { session.chosen = [&session, name] { return run_recover(session, *name); }; });
}

constexpr VerbRow kRecoverVerb{51, add_recover};
HEDDLE_ROW(verbs, kRecoverVerb);

}  // namespace

}  // namespace heddle::cli
