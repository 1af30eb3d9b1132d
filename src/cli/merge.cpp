// heddle merge: the parts of a campaign, wherever they ran, as one result.
#include <fmt/format.h>

#include "cli/merging.h"
#include "cli/print.h"
#include "cli/results.h"
#include "cli/session.h"
#include "cli/shards.h"

namespace heddle::cli {

int merge_shards(const MergeArguments& options, bool under_way) {
  if (options.places.empty()) throw Error("no shard given: heddle merge DIRECTORY...");
  std::vector<ShardResult> shards;
  for (const std::string& place : options.places) shards.push_back(load_shard(place));
  merge(shards);  // refuses what does not belong together before anything is copied
  for (ShardResult& shard : shards) take_bugs(shard);
  const Merged merged = merge(std::move(shards));
  write_suite(merged.whole, options.files);
  const size_t count = options.places.size() + merged.missing.size();
  const bool unknown = merged.whole.news() == 0 && !merged.missing.empty();
  if (options.json) {
    Json document = json_of(merged.whole);
    document["shards"] = {{"count", count}, {"missing", merged.missing}, {"under_way", under_way}};
    if (unknown) document["verdict"] = "inconclusive";
    print_json(document);
  } else {
    print_suite(merged.whole);
    if (!merged.missing.empty())
      print_out("{}: shard{} {} of {}\n", under_way ? "not yet there" : "missing", merged.missing.size() == 1 ? "" : "s",
                fmt::join(merged.missing, ", "), count);
  }
  return unknown ? exit_value(ExitCode::kCannotTest) : suite_exit(merged.whole);
}

namespace {

int run_merge(const Session& session, const MergeArguments& options) {
  session.no_program("merge");
  return merge_shards(options);
}

void add_merge(CLI::App& app, Session& session) {
  Verb verb(app, "merge", "join the shards of a search or a suite into one result, with their bugs", TakesProgram::kDirectories);
  auto options = std::make_shared<MergeArguments>();
  verb.positionals("DIRECTORY", options->places, "where a shard ran: the directory that holds its .heddle");
  options->files.add_to(verb);
  verb.flag("--json", options->json, "one JSON document on stdout and nothing else there");
  verb.when_chosen([&session, options] { session.chosen = [&session, options] { return run_merge(session, *options); }; });
}

constexpr VerbRow kMergeVerb{150, add_merge};
HEDDLE_ROW(verbs, kMergeVerb);

}  // namespace

}  // namespace heddle::cli
