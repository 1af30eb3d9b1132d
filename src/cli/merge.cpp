// heddle merge: the parts of a campaign, wherever they ran, as one result.
#include <fmt/format.h>

#include "cli/print.h"
#include "cli/results.h"
#include "cli/session.h"
#include "cli/shards.h"
#include "cli/suite_report.h"

namespace heddle::cli {

namespace {

struct MergeArguments {
  std::vector<std::string> places;
  SuiteFiles files;
  bool json = false;
};

int run_merge(const Session& session, const MergeArguments& options) {
  session.no_program("merge");
  if (options.places.empty()) throw Error("no shard given: heddle merge DIRECTORY...");
  std::vector<suite::ShardResult> shards;
  for (const std::string& place : options.places) shards.push_back(load_shard(place));
  suite::merge(shards);  // refuses what does not belong together before anything is copied
  for (suite::ShardResult& shard : shards) take_bugs(shard);
  const suite::Merged merged = suite::merge(std::move(shards));
  write_suite(merged.whole, options.files);
  const bool failed = merged.whole.news() > 0;
  if (options.json) {
    Json document = json_of(merged.whole);
    document["shards"] = {{"count", options.places.size() + merged.missing.size()}, {"missing", merged.missing}};
    if (!failed && !merged.missing.empty()) document["verdict"] = "inconclusive";
    print_json(document);
  } else {
    print_suite(merged.whole);
    if (!merged.missing.empty())
      print_out("missing: shard{} {} of {}\n", merged.missing.size() == 1 ? "" : "s", fmt::join(merged.missing, ", "),
                options.places.size() + merged.missing.size());
  }
  if (!failed && !merged.missing.empty()) return exit_value(ExitCode::kCannotTest);
  return suite_exit(merged.whole);
}

void add_merge(CLI::App& app, Session& session) {
  Verb verb(app, "merge", "the shards of a search or a suite as one result, with their bugs", TakesProgram::kDirectories);
  auto options = std::make_shared<MergeArguments>();
  verb.positionals("DIRECTORY", options->places, "where each shard ran: what holds its .heddle");
  options->files.add_to(verb);
  verb.flag("--json", options->json, "one JSON document on stdout and nothing else there");
  verb.when_chosen([&session, options] { session.chosen = [&session, options] { return run_merge(session, *options); }; });
}

constexpr VerbRow kMergeVerb{150, add_merge};
HEDDLE_ROW(verbs, kMergeVerb);

}  // namespace

}  // namespace heddle::cli
