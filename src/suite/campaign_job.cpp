#include "suite/campaign_job.h"

#include <fmt/format.h>

#include "trace/shell_words.h"

namespace heddle::suite {

namespace {

// A run that found a failure has done its work; what it could not do is the engine's to try again.
constexpr const char* kDone = "code=$?\n[ $code -le 1 ]\n";

// Slurm itself starts what a node took down with it again; what was killed alone, it does not. Not for ever.
constexpr const char* kAgainOnSlurm =
    "code=$?\nif [ $code -ge 126 ] && [ \"${SLURM_RESTART_COUNT:-0}\" -lt 3 ]; then\n"
    "  scontrol requeue \"${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID\" && sleep 60\nfi\n[ $code -le 1 ]\n";

std::string shard_words(const CampaignJob& job, const std::string& number) {
  std::vector<std::string> before = {job.heddle, job.verb};
  std::vector<std::string> after = job.options;
  after.emplace_back("--");
  after.insert(after.end(), job.command.begin(), job.command.end());
  return fmt::format("{} --shard \"{}/{}\" {}", shell_words(before), number, job.shards, shell_words(after));
}

std::string indented(const std::string& text, size_t columns) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    out += std::string(columns, ' ') + text.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return out;
}

}  // namespace

std::string shard_place(const CampaignJob& job, const std::string& number) { return job.place + "/shard-" + number; }

std::string slurm_script(const CampaignJob& job) {
  std::string text = fmt::format(
      "#!/bin/bash\n#SBATCH --job-name=heddle\n#SBATCH --array=1-{}\n#SBATCH --ntasks=1\n#SBATCH --requeue\n#SBATCH --open-mode=append\n"
      "#SBATCH --output={}\n#SBATCH --chdir={}\n",
      job.shards, shard_place(job, "%a") + ".log", job.directory);
  for (const std::string& option : job.engine_options) text += fmt::format("#SBATCH {}\n", option);
  text += fmt::format("export HEDDLE_STORE=\"{}\"\nmkdir -p \"$HEDDLE_STORE\"\n{}\n{}", shard_place(job, "$SLURM_ARRAY_TASK_ID"),
                      shard_words(job, "$SLURM_ARRAY_TASK_ID"), kAgainOnSlurm);
  return text;
}

std::string kubernetes_manifest(const CampaignJob& job) {
  const std::string script = fmt::format(
      "set -u\nshard=$((JOB_COMPLETION_INDEX + 1))\nexport HEDDLE_STORE=\"/campaign/shard-$shard\"\nmkdir -p \"$HEDDLE_STORE\"\n{}\n{}",
      shard_words(job, "$shard"), kDone);
  return fmt::format(
      "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: heddle-campaign\nspec:\n  completionMode: Indexed\n  completions: {0}\n"
      "  parallelism: {0}\n  backoffLimit: {1}\n  template:\n    spec:\n      restartPolicy: OnFailure\n      containers:\n        - name: "
      "shard\n"
      "          image: {2}\n          workingDir: {3}\n          command: [\"/bin/bash\", \"-c\"]\n          args:\n            - |\n{4}"
      "          volumeMounts:\n            - name: campaign\n              mountPath: /campaign\n      volumes:\n        - name: "
      "campaign\n"
      "          persistentVolumeClaim:\n            claimName: heddle-campaign\n",
      job.shards, 3 * job.shards, job.image, job.directory, indented(script, 14));
}

std::string github_workflow(const CampaignJob& job) {
  std::string numbers, places;
  for (unsigned i = 1; i <= job.shards; ++i) {
    numbers += fmt::format("{}{}", i == 1 ? "" : ", ", i);
    places += fmt::format(" shards/heddle-shard-{}", i);
  }
  return fmt::format(
      "name: heddle campaign\non: workflow_dispatch\njobs:\n  shard:\n    runs-on: ubuntu-latest\n    strategy:\n      fail-fast: false\n"
      "      matrix:\n        shard: [{0}]\n    steps:\n      - uses: actions/checkout@v4\n      # build the program and install heddle "
      "here\n"
      "      - shell: bash\n        env:\n          HEDDLE_STORE: ${{{{ github.workspace }}}}/shard\n        run: |\n          mkdir -p "
      "\"$HEDDLE_STORE\"\n"
      "          set +e\n          {1}\n          code=$?; [ $code -le 1 ]\n      - uses: actions/upload-artifact@v4\n        with:\n"
      "          name: heddle-shard-${{{{ matrix.shard }}}}\n          path: shard\n          include-hidden-files: true\n  merge:\n    "
      "needs: shard\n"
      "    if: always()\n    runs-on: ubuntu-latest\n    steps:\n      # install heddle here\n      - uses: actions/download-artifact@v4\n "
      "       with:\n"
      "          path: shards\n      - run: heddle merge{2}\n",
      numbers, shard_words(job, "${{ matrix.shard }}"), places);
}

std::string slurm_job_id(const std::string& answer) {
  const std::string words = "Submitted batch job ";
  const size_t at = answer.find(words);
  if (at == std::string::npos) return {};
  const size_t begin = at + words.size();
  return answer.substr(begin, answer.find_first_not_of("0123456789", begin) - begin);
}

}  // namespace heddle::suite
