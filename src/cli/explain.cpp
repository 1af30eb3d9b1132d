// heddle explain, list and show: what is saved, in the terminal.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "cli/origins.h"
#include "cli/pipeline.h"
#include "cli/print.h"
#include "cli/session.h"
#include "cli/show_at.h"
#include "cli/story.h"
#include "cli/terminal.h"
#include "report/text.h"
#include "store/store.h"

namespace heddle::cli {

namespace {

struct ExplainArguments {
  std::string bug;
  bool all = false;
  bool found = false;
  bool passing = false;
  bool json = false;
  std::optional<uint64_t> at;
  uint64_t from = 1;
  uint64_t count = 0;
  uint64_t width = 0;
};

Trace chosen_trace(const BugStore& store, const Bug& bug, const ExplainArguments& options) {
  if (options.passing) return store.load_trace(bug, kPassingTrace);
  return store.load_trace(bug, !options.found && store.has(bug, kSimplifiedTrace) ? kSimplifiedTrace : kFailingTrace);
}

int explain(const Session& session, const ExplainArguments& options) {
  session.no_program("explain");
  const LoadedStory loaded = load_story(options.bug, options.found);
  const Story story = loaded.story();
  if (options.json) {
    Json document = {{"bug", BugStore::shown(loaded.bug.id)}};
    document["failure"] = json_failure(loaded.failing);
    document["story"] = ending_sentence(loaded.failing, *loaded.symbols);
    document["diagnosis"] = json_diagnosis(story);
    document["simplified"] = json_counts(loaded.failing.counts(), true);
    document["cause"] = json_cause(loaded.failing);
    lead_with_lines(document["cause"], story);
    if (!loaded.origins.empty()) document["slice"] = json_slice(loaded.origins, loaded.failing);
    document["replay"] = loaded.replay;
    print_json(document);
  } else {
    TextOptions text = text_options(options.all);
    if (options.width >= 40) text.width = options.width;
    write_text(stdout, explain_text(story, text));
  }
  return 0;
}

void print_events(const std::string& title, const Trace& trace, const ExplainArguments& options) {
  const size_t size = trace.events().size();
  const size_t begin = std::min(size, options.from > 0 ? options.from - 1 : 0);
  const size_t end = options.count == 0 ? size : std::min(size, begin + options.count);
  const Symbols symbols(module_paths(trace));
  TextOptions text = text_options(true);
  print_out("{}  {}\n{}\n", title, ending_sentence(trace, symbols), describe_counts(trace.counts()));
  write_text(stdout, columns_text(trace, symbols, begin, end, text));
}

// What heddle run --save wrote: a schedule without a bug around it, so nothing is known that could be run again.
int show_file(const Session& session, const ExplainArguments& options) {
  session.no_program("show of a trace file");
  if (options.at || options.json || options.found || options.passing)
    throw Error("--at, --json, --found and --passing are for a saved bug, not for a trace file", ExitCode::kUsage);
  print_events(options.bug, load_trace(options.bug), options);
  return 0;
}

int show(const Session& session, const ExplainArguments& options) {
  if (std::filesystem::is_regular_file(options.bug)) return show_file(session, options);
  if (!options.at) session.no_program("show without --at");
  if (!options.at && options.json) throw Error("show --json is for --at EVENT", ExitCode::kUsage);
  const BugStore store;
  const Bug bug = store.load(options.bug);
  const Trace trace = chosen_trace(store, bug, options);
  if (options.at) return show_at(options.bug, session, trace, *options.at, options.json);
  print_events(fmt::format("BUG {}", bug.id), trace, options);
  return 0;
}

int list(const Session& session, bool json) {
  session.no_program("list");
  const auto bugs = BugStore().list();
  if (json) {
    Json document = {{"bugs", Json::array()}};
    for (const auto& listed : bugs) {
      Json entry = {{"bug", BugStore::shown(listed.id)}};
      if (listed.bug) {
        entry["command"] = listed.bug->command;
        entry["failure"] = {{"kind", listed.bug->kind}, {"message", listed.bug->message}, {"signature", listed.bug->signature}};
        entry["found"] = json_counts(listed.bug->found, true);
        entry["simplified"] = json_counts(listed.bug->simplified, true);
        entry["saved_at"] = listed.bug->saved_at;
      } else {
        entry["error"] = listed.complaint;
      }
      document["bugs"].push_back(entry);
    }
    print_json(document);
    return 0;
  }
  if (bugs.empty()) print_out("no bug is saved here\n");
  for (const auto& listed : bugs) {
    if (!listed.bug) {
      print_out("{:<6}{}\n", listed.id, listed.complaint);
      continue;
    }
    const Bug& b = *listed.bug;
    const std::string message = b.message.substr(0, b.message.find('\n'));
    print_out("{:<6}{}  {}  {}: {}\n", b.id, b.saved_at, b.command.empty() ? "?" : b.command.front(), b.kind, message);
  }
  return 0;
}

void add_which(Verb& verb, ExplainArguments& options, const char* bug) {
  verb.positional("BUG", options.bug, bug);
  verb.flag("--found", options.found, "the schedule as it was found, not the simplified one");
}

}  // namespace

namespace {

void add_explain(CLI::App& app, Session& session) {
  Verb verb(app, "explain", "show the report of a saved bug again", TakesProgram::kNo);
  verb.exit_codes("shown", "", "cannot be shown");
  auto options = std::make_shared<ExplainArguments>();
  add_which(verb, *options, "a saved bug [the latest]");
  verb.flag("--all", options->all, "show every event");
  verb.number("--width", options->width, "line width, 0 for the terminal's");
  verb.flag("--json", options->json, "one JSON document on stdout and nothing else there");
  verb.when_chosen([&session, options] { session.chosen = [&session, options] { return explain(session, *options); }; });
}

constexpr VerbRow kExplainVerb{100, add_explain};
HEDDLE_ROW(verbs, kExplainVerb);

}  // namespace

namespace {

void add_show(CLI::App& app, Session& session) {
  Verb verb(app, "show", "show the events of a saved schedule, a column for each thread", TakesProgram::kBesideBug);
  verb.exit_codes("shown", "", "cannot be shown");
  auto options = std::make_shared<ExplainArguments>();
  add_which(verb, *options, "a saved bug [the latest], or a trace that heddle run --save wrote");
  verb.flag("--passing", options->passing, "the nearest passing schedule");
  verb.number("--at", options->at, "every thread's back-trace at this event");
  verb.flag("--json", options->json, "with --at: one JSON document on stdout and nothing else there");
  verb.number("--from", options->from, "first event");
  verb.number("--count", options->count, "how many events [all]");
  verb.when_chosen([&session, options] { session.chosen = [&session, options] { return show(session, *options); }; });
}

constexpr VerbRow kShowVerb{140, add_show};
HEDDLE_ROW(verbs, kShowVerb);

}  // namespace

namespace {

void add_list(CLI::App& app, Session& session) {
  Verb verb(app, "list", "list the bugs saved under .heddle", TakesProgram::kNo);
  verb.exit_codes("shown", "", "cannot be shown");
  auto json = std::make_shared<bool>(false);
  verb.flag("--json", *json, "one JSON document on stdout and nothing else there");
  verb.when_chosen([&session, json] { session.chosen = [&session, json] { return list(session, *json); }; });
}

constexpr VerbRow kListVerb{130, add_list};
HEDDLE_ROW(verbs, kListVerb);

}  // namespace

}  // namespace heddle::cli
