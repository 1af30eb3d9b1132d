// heddle why: where does the failure, or a value, come from?
#include <fmt/format.h>

#include "cli/origins.h"
#include "cli/print.h"
#include "cli/saved_bug.h"
#include "cli/terminal.h"
#include "report/origin_text.h"

namespace heddle::cli {

namespace {

struct WhyArguments : SavedBugOptions {
  std::string value;
  uint64_t at = 0;
  bool all = false;
};

void print_why(const OpenedBug& bug, const OriginReport& report, const WhyArguments& options) {
  const size_t width = text_options(false).width;
  if (!report.writes.empty()) {
    print_out("{} was written by\n", report.asked);
    write_text(stdout, origin_text(report.writes, bug.failing.threads(), options.all ? SIZE_MAX : 8, width));
    print_out("\n");
  }
  print_out("{}, {}\n", report.asked.empty() ? "what led to the failure" : "where " + report.asked + " came from",
            "in the order of execution:");
  write_text(stdout, origin_text(report.lines, bug.failing.threads(), options.all ? SIZE_MAX : 30, width));
  print_out("\n{} lines ({} instructions) of {} blocks executed; traced in {:.1f} MB, {:.2f} s{}\n", report.lines.size(),
            report.instructions, report.blocks, static_cast<double>(report.bytes) / 1e6, report.seconds,
            report.cut ? "; cut short: only the end of the run was kept, or there was too much" : "");
}

int run(const Session& session, const WhyArguments& options) {
  OpenedBug bug = open_failing(options, session);
  if (options.at > bug.failing.events().size())
    throw Error(fmt::format("--at: the schedule has events 1 to {}", bug.failing.events().size()), ExitCode::kUsage);
  const OriginReport report = origins_of(*bug.campaign, bug.failing, {options.value, options.at});
  if (options.json) {
    Json document = {{"bug", BugStore::shown(bug.bug.id)}, {"slice", json_slice(report.lines, bug.failing)}};
    if (!options.value.empty()) document["value"] = options.value;
    if (!options.value.empty()) document["writes"] = json_slice(report.writes, bug.failing);
    document["trace"] = {{"blocks", report.blocks},
                         {"bytes", report.bytes},
                         {"instructions", report.instructions},
                         {"cut", report.cut},
                         {"seconds", report.seconds}};
    if (!report.found()) document["why_not"] = report.why_not;
    print_json(document);
  } else if (report.found()) {
    print_why(bug, report, options);
  } else {
    throw Error(report.why_not);
  }
  return exit_unless_interrupted(report.found() ? ExitCode::kNothing : ExitCode::kCannotTest);
}

void add_why(CLI::App& app, Session& session) {
  Verb verb(app, "why", "show the lines that led to the failure, or to a value, over all threads", TakesProgram::kBesideBug);
  verb.exit_codes("the lines are shown", "", "none were found");
  auto options = std::make_shared<WhyArguments>();
  options->add_to(verb);
  verb.text("--value", options->value, "a variable (counter, queue.items[3]), a place (file.c:12) or an address instead of the failure",
            "EXPR");
  verb.number("--at", options->at, "the value before this event [at the end]");
  verb.flag("--all", options->all, "every line, not only the nearest");
  verb.when_chosen([&session, options] { session.chosen = [&session, options] { return run(session, *options); }; });
}

constexpr VerbRow kWhyVerb{125, add_why};
HEDDLE_ROW(verbs, kWhyVerb);

}  // namespace

}  // namespace heddle::cli
