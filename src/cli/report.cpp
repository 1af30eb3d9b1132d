// heddle report: a saved bug as a page, and for machines.
#include <fmt/format.h>

#include "cli/print.h"
#include "cli/session.h"
#include "cli/story.h"
#include "report/chrome_trace.h"
#include "report/html.h"
#include "report/junit.h"
#include "report/sarif.h"
#include "trace/atomic_file.h"

namespace heddle {

namespace {

struct ReportArguments {
  std::string bug;
  std::string format = "html";
  std::string output;
};

int run_report(const Session& session, const ReportArguments& options) {
  session.no_program("report");
  const LoadedStory loaded = load_story(options.bug);
  const Story story = loaded.story();
  std::string text, name;
  if (options.format == "html") {
    text = page_text(loaded);
    name = kPageFile;
  } else if (options.format == "sarif") {
    text = sarif_text(story);
    name = "report.sarif";
  } else if (options.format == "junit") {
    text = junit_text(story);
    name = "junit.xml";
  } else {
    text = chrome_trace_text(story);
    name = "perfetto.json";
  }
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

std::string page_text(const LoadedStory& loaded) {
  PageExtra extra;
  if (loaded.found) extra.found = &*loaded.found;
  if (loaded.reduced) extra.reduced = &*loaded.reduced;
  return html_page(loaded.story(), extra);
}

void save_page(LoadedStory& loaded) {
  BugStore().save_text(loaded.bug.id, kPageFile, page_text(loaded));
  loaded.page = BugStore::shown(loaded.bug.id) + "/" + kPageFile;
}

void add_report(CLI::App& app, Session& session) {
  Verb verb(app, "report", "a saved bug as a page, and for other tools");
  auto options = std::make_shared<ReportArguments>();
  verb.positional("BUG", options->bug, "a saved bug [the latest]");
  verb.one_of("--format", options->format, {"html", "sarif", "junit", "perfetto"}, "what to write");
  verb.text("--output,-o", options->output, "the file, - for standard output [beside the bug]", "FILE");
  verb.when_chosen([&session, options] { session.chosen = [&session, options] { return run_report(session, *options); }; });
}

}  // namespace heddle
