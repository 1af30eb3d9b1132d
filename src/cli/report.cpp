// heddle report: a saved bug as a page, and for machines.
#include <fmt/format.h>

#include <algorithm>

#include "cli/print.h"
#include "cli/session.h"
#include "cli/story.h"
#include "report/formats.h"
#include "report/html.h"
#include "store/atomic_file.h"

namespace heddle::cli {

namespace {

struct ReportArguments {
  std::string bug;
  std::string format = formats().front().name;
  std::string output;
};

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const FormatRow& row : formats()) names.emplace_back(row.name);
  return names;
}

OtherRuns others_of(const LoadedStory& loaded) {
  OtherRuns others;
  if (loaded.found) others.found = &*loaded.found;
  if (loaded.reduced) others.reduced = &*loaded.reduced;
  return others;
}

int run_report(const Session& session, const ReportArguments& options) {
  session.no_program("report");
  const LoadedStory loaded = load_story(options.bug);
  const auto format = std::find_if(formats().begin(), formats().end(), [&](const FormatRow& row) { return options.format == row.name; });
  const std::string text = format->text(loaded.story(), others_of(loaded)), name = format->file;
  if (options.output == "-") {
    write_text(stdout, text);
    return 0;
  }
  const std::string path = options.output.empty() ? BugStore::shown(loaded.bug.id) + "/" + name : options.output;
  if (options.output.empty()) {
    BugStore().save_text(loaded.bug.id, name.c_str(), text);
  } else {
    replace_file(path, text);
  }
  print_out("{}\n", path);
  return 0;
}

}  // namespace

std::string page_text(const LoadedStory& loaded) { return html_page(loaded.story(), others_of(loaded)); }

void save_page(LoadedStory& loaded) {
  BugStore().save_text(loaded.bug.id, kPageFile, page_text(loaded));
  loaded.page = BugStore::shown(loaded.bug.id) + "/" + kPageFile;
}

namespace {

void add_report(CLI::App& app, Session& session) {
  Verb verb(app, "report", "write a saved bug as a page, or for other tools", TakesProgram::kNo);
  verb.exit_codes("shown", "", "cannot be shown");
  auto options = std::make_shared<ReportArguments>();
  verb.positional("BUG", options->bug, "a saved bug [the latest]");
  verb.one_of("--format", options->format, format_names(), "what to write");
  verb.text("--output,-o", options->output, "the file, - for standard output [beside the bug]", "FILE");
  verb.when_chosen([&session, options] { session.chosen = [&session, options] { return run_report(session, *options); }; });
}

constexpr VerbRow kReportVerb{110, add_report};
HEDDLE_ROW(verbs, kReportVerb);

}  // namespace

}  // namespace heddle::cli
