// heddle submit and status: a campaign of shards on an engine that is there already.
#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/merging.h"
#include "cli/print.h"
#include "cli/results.h"
#include "cli/session.h"
#include "cli/shards.h"
#include "exec/capture.h"
#include "store/atomic_file.h"
#include "suite/campaign_job.h"

namespace heddle::cli {

namespace {

namespace fs = std::filesystem;

constexpr double kEngineSeconds = 60;
constexpr const char* kCampaignFile = "campaign.json";

struct SubmitArguments {
  bool slurm = false, kubernetes = false, github = false;
  bool tests = false;
  bool dry = false;
  uint32_t shards = 8;
  std::optional<uint64_t> executions;
  uint64_t seed = 1;
  std::string place = "heddle-campaign";
  std::string image = "heddle";
  std::string strategy;
  std::vector<std::string> engine_options;
};

std::string absolute(const std::string& path) { return fs::absolute(path).lexically_normal().string(); }

CampaignJob job_of(const Session& session, const SubmitArguments& options) {
  if (options.slurm + options.kubernetes + options.github != 1)
    throw Error("name one engine: --slurm, --kubernetes or --github", ExitCode::kUsage);
  if (options.shards < 1) throw Error("--shards takes a number from 1", ExitCode::kUsage);
  if (!options.executions)
    throw Error("--executions is needed: a campaign's budget is a number of runs, so that it can be repeated", ExitCode::kUsage);
  CampaignJob job;
  job.heddle = options.slurm ? fs::read_symlink("/proc/self/exe").string() : "heddle";
  job.verb = options.tests ? "test" : "find";
  job.options = {"--seed", std::to_string(options.seed), "--executions", std::to_string(*options.executions)};
  if (!options.strategy.empty()) job.options.insert(job.options.end(), {"--strategy", options.strategy});
  job.command = session.program();
  job.directory = fs::current_path().string();
  job.place = absolute(options.place);
  job.shards = options.shards;
  job.image = options.image;
  job.engine_options = options.engine_options;
  if (options.slurm) Target::resolve(job.command);  // a program that is not there is better known before than after
  return job;
}

Captured ask_engine(const std::vector<std::string>& words) {
  Captured answer = capture(Target::resolve(words), kEngineSeconds);
  if (!answer.exited_with(0))
    throw Error(fmt::format("{} failed: {}", words.front(), answer.late ? "no answer" : answer.err.substr(0, answer.err.find('\n'))));
  return answer;
}

void save_campaign(const CampaignJob& job, const std::string& id) {
  const nlohmann::ordered_json j = {{"version", 1}, {"engine", "slurm"}, {"job", id}, {"shards", job.shards}, {"command", job.command}};
  replace_file(job.place + "/" + kCampaignFile, j.dump(2) + "\n");
}

int run_submit(const Session& session, const SubmitArguments& options) {
  const CampaignJob job = job_of(session, options);
  const std::string text = options.slurm ? slurm_script(job) : options.kubernetes ? kubernetes_manifest(job) : github_workflow(job);
  if (!options.slurm || options.dry) {
    write_text(stdout, text);
    return 0;
  }
  if (fs::exists(fs::path(job.place) / kCampaignFile))
    throw Error(fmt::format("{} holds a campaign already: heddle status {}", options.place, options.place), ExitCode::kUsage);
  make_directory(job.place);
  const std::string script = job.place + "/job.sh";
  replace_file(script, text);
  const std::string id = slurm_job_id(ask_engine({"sbatch", script}).out);
  if (id.empty()) throw Error("sbatch does not say which job it started");
  save_campaign(job, id);
  print_out("job {}: {} shards, {} runs in all\nNEXT   heddle status {}\n", id, job.shards, *options.executions, options.place);
  return 0;
}

// Of each shard that Slurm still has: its state in its words.
std::map<uint32_t, std::string> states_of(const std::string& job) {
  std::map<uint32_t, std::string> states;
  // A job that is long over is unknown to squeue, which calls that an error.
  const Captured answer = capture(Target::resolve({"squeue", "-h", "-r", "-o", "%K %T", "-j", job}), kEngineSeconds);
  std::istringstream lines(answer.out);
  uint32_t index = 0;
  for (std::string state; lines >> index >> state;) states[index] = state;
  return states;
}

struct StatusArguments {
  std::string place = "heddle-campaign";
  bool resubmit = false;
  bool json = false;
};

// Shards of which neither a result nor the engine knows anything, as another array job of the same script.
void submit_again(const std::vector<uint32_t>& lost, const std::string& place, nlohmann::ordered_json& campaign) {
  const std::string id = slurm_job_id(ask_engine({"sbatch", fmt::format("--array={}", fmt::join(lost, ",")), place + "/job.sh"}).out);
  if (id.empty()) throw Error("sbatch does not say which job it started");
  campaign["job"] = campaign["job"].get<std::string>() + "," + id;
  replace_file(place + "/" + kCampaignFile, campaign.dump(2) + "\n");
  print_err("heddle: shard{} {} started again as job {}\n", lost.size() == 1 ? "" : "s", fmt::join(lost, ", "), id);
}

int run_status(const Session& session, const StatusArguments& options) {
  session.no_program("status");
  const std::string file = options.place + "/" + kCampaignFile;
  nlohmann::ordered_json campaign;
  try {
    campaign = nlohmann::ordered_json::parse(read_file(file));
    campaign.at("shards").get<uint32_t>();
    campaign.at("job").get<std::string>();
  } catch (const nlohmann::json::exception&) {
    throw Error(fmt::format("{} is damaged", file));
  }
  const std::map<uint32_t, std::string> states = states_of(campaign["job"].get<std::string>());
  std::vector<std::string> done;
  std::vector<uint32_t> lost;
  std::map<std::string, size_t> counts;
  const uint32_t shards = campaign["shards"].get<uint32_t>();
  for (uint32_t i = 1; i <= shards; ++i) {
    const std::string place = fmt::format("{}/shard-{}", options.place, i);
    const auto state = states.find(i);
    if (has_shard(place)) {
      done.push_back(place);
    } else {
      ++counts[state == states.end() ? "LOST" : state->second];
      if (state == states.end()) lost.push_back(i);
    }
  }
  if (options.resubmit && !lost.empty()) {
    submit_again(lost, options.place, campaign);
    counts["PENDING"] += lost.size();
    counts.erase("LOST");
  }
  const bool under_way = done.size() + counts["LOST"] < shards;
  if (!options.json) {
    print_out("{} of {} shards are done", done.size(), shards);
    for (const auto& [state, n] : counts) {
      if (n > 0) print_out(", {} {}", n, state);
    }
    print_out("\n");
  }
  if (done.empty()) {
    if (options.json) print_json({{"verdict", "inconclusive"}, {"done", 0}, {"under_way", under_way}});
    return exit_value(ExitCode::kCannotTest);
  }
  MergeArguments merge;
  merge.places = done;
  merge.json = options.json;
  return merge_shards(merge, under_way);
}

void add_submit(CLI::App& app, Session& session) {
  Verb verb(app, "submit", "start a search or a suite in shards on a cluster", TakesProgram::kYes);
  verb.exit_codes("submitted", "", "cannot be submitted");
  auto options = std::make_shared<SubmitArguments>();
  verb.flag("--slurm", options->slurm, "start an array job with sbatch");
  verb.flag("--kubernetes", options->kubernetes, "print an Indexed Job");
  verb.flag("--github", options->github, "print a workflow with a matrix");
  verb.flag("--tests", options->tests, "the program is a test binary: heddle test instead of heddle find");
  verb.number("--shards", options->shards, "how many parts the campaign has");
  verb.number("--executions", options->executions, "how many runs the search has in all, or each test of a suite");
  verb.number("--seed", options->seed, "random seed of the campaign");
  verb.text("--strategy", options->strategy, "how to search", "NAME");
  verb.text("--place", options->place, "the shared directory for what the shards find [heddle-campaign]", "DIRECTORY");
  verb.text("--image", options->image, "Kubernetes: the container's image", "IMAGE");
  verb.texts("--engine-option", options->engine_options, "Slurm: a word for sbatch, such as --partition=long; may be given several times",
             "WORD");
  verb.flag("--dry-run", options->dry, "Slurm: only print the script");
  verb.when_chosen([&session, options] { session.chosen = [&session, options] { return run_submit(session, *options); }; });
}

constexpr VerbRow kSubmitVerb{152, add_submit};
HEDDLE_ROW(verbs, kSubmitVerb);

void add_status(CLI::App& app, Session& session) {
  Verb verb(app, "status", "show how far a submitted campaign is, and what its shards have found so far", TakesProgram::kNo);
  auto options = std::make_shared<StatusArguments>();
  verb.positional("DIRECTORY", options->place, "the campaign's directory [heddle-campaign]");
  verb.flag("--resubmit", options->resubmit, "start lost shards again");
  verb.flag("--json", options->json, "one JSON document on stdout and nothing else there");
  verb.when_chosen([&session, options] { session.chosen = [&session, options] { return run_status(session, *options); }; });
}

constexpr VerbRow kStatusVerb{154, add_status};
HEDDLE_ROW(verbs, kStatusVerb);

}  // namespace

}  // namespace heddle::cli
