#pragma once
// A campaign of N shards as a job of somebody's engine: the text that the engine takes. Whatever runs a shard, it runs the same words.
#include <string>
#include <vector>

namespace heddle::suite {

struct CampaignJob {
  std::string heddle;                // how to call the tool
  std::string verb = "find";         // or "test"
  std::vector<std::string> options;  // of that verb, without --shard
  std::vector<std::string> command;  // PROGRAM [ARGS...]
  std::string directory;             // where the program runs, absolute
  std::string place;                 // where the shards keep what they find, absolute: a directory that all machines share
  unsigned shards = 8;
  std::string image;                        // Kubernetes: with Heddle and the program inside
  std::vector<std::string> engine_options;  // Slurm: words of sbatch, such as --partition=debug
};

// Where shard `number` (as the engine's script names it, "3" or "$N") has its .heddle.
std::string shard_place(const CampaignJob& job, const std::string& number);

// An array job. A shard on a node that dies is queued again by Slurm, and begins anew.
std::string slurm_script(const CampaignJob& job);
// An Indexed Job of batch/v1. The claim `heddle-campaign` is the shared directory.
std::string kubernetes_manifest(const CampaignJob& job);
// A workflow whose matrix has an entry for each shard, and a job that merges.
std::string github_workflow(const CampaignJob& job);

// The id in "Submitted batch job 17"; empty where there is none.
std::string slurm_job_id(const std::string& answer);

}  // namespace heddle::suite
