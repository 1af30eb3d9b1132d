#include "cli/recording.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/checkpoints.h"
#include "cli/finding.h"
#include "cli/print.h"
#include "cli/same_output.h"
#include "store/input_store.h"
#include "store/saved_json.h"
#include "symbols/symbols.h"

namespace heddle::cli {

using nlohmann::json;

std::string start_text(const Target& target, const RecordArguments& options, const Input& input) {
  const json start = {{"command", target.arguments},
                      {"build_id", Symbols({target.program}).build_id(0)},
                      {"carrier", options.campaign.carrier},
                      {"expect_exit", options.campaign.expect_exit},
                      {"env_seed", options.campaign.plan.plan().env_seed},
                      {"quantum", options.quantum},
                      {"stdin", input.bytes()}};
  return saved_json(start).dump(1) + "\n";
}

Started parse_start(const std::string& text, const std::string& directory) {
  try {
    const json start = parse_saved_json<json>(text);
    Started started;
    for (const json& word : start.at("command")) started.command.push_back(word.get<std::string>());
    started.options.campaign.jobs = 1;
    started.options.campaign.carrier = start.at("carrier").get<std::string>();
    started.options.campaign.expect_exit = start.at("expect_exit").get<int>();
    started.options.campaign.plan.set_env_seed(start.at("env_seed").get<uint64_t>());
    started.options.quantum = start.at("quantum").get<uint64_t>();
    started.input = Input::of_bytes(start.at("stdin").get<std::string>());
    started.build_id = start.at("build_id").get<std::string>();
    if (started.command.empty()) throw Error(fmt::format("{}/start is damaged", directory));
    return started;
  } catch (const json::exception&) {
    throw Error(fmt::format("{}/start is damaged", directory));
  }
}

namespace {

// From the start, or where that was not kept from the first checkpoint. `why` gets a sentence where it cannot be run.
RunResult replay_whole(Campaign& campaign, const Trace& recorded, const Plan& plan, const std::vector<std::string>& checkpoints,
                       std::string* why) {
  if (recorded.data().first == 0) return campaign.pool().run_now(plan);
  try {
    const SavedCheckpoint first{checkpoints.at(0), recorded.data().first, 0, 0, checkpoint_digest(checkpoints.at(0))};
    return run_from(campaign, first, plan);
  } catch (const Error& error) {
    *why = error.what();
    return {recorded, {}};
  }
}

// As the replay saw it, with the inputs of the recording: checkpoints point into those.
Trace with_inputs_of(const Trace& recorded, const Trace& again) {
  Trace::Data data = again.data();
  data.inputs = recorded.data().inputs;
  return Trace(std::move(data));
}

// Where the rest of a run replays although the whole does not: the events before the first checkpoint.
std::optional<uint64_t> replays_from(Campaign& campaign, const Trace& recorded, const std::vector<std::string>& checkpoints) {
  if (checkpoints.empty() || recorded.data().first != 0 || recorded.inputs().lost != 0) return std::nullopt;
  try {
    const uint64_t step = CheckpointReader(checkpoints.front()).checkpoint().step;
    const Trace rest = tail_of(recorded, step);
    Plan plan = campaign.replay_plan(rest);
    end_soon_after(rest, &plan);
    const RunResult again = run_from(campaign, {checkpoints.front(), step, 0, 0, checkpoint_digest(checkpoints.front())}, plan);
    return replay_difference(rest, again.trace, nullptr) == kNoDifference ? std::optional(step) : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

void keep_recording(const Target& target, const RecordArguments& given, const std::shared_ptr<const Input>& input, const Trace& recorded,
                    const std::vector<std::string>& checkpoints, const std::vector<RecordedFile>& originals) {
  CampaignOptions options = given.campaign;
  options.files = originals;
  remember_originals(originals);
  if (!recorded.inputs().calls.empty()) options.inputs = recorded.data().inputs;
  options.environment = target.environment;
  options.whole_environment = true;
  Campaign campaign(target, options, options.predicates(), input);
  Plan plan = campaign.replay_plan(recorded);
  end_soon_after(recorded, &plan);
  std::string why;
  RunResult again = replay_whole(campaign, recorded, plan, checkpoints, &why);
  bool same = why.empty();
  if (const size_t at = same ? replay_difference(recorded, again.trace, &why) : kNoDifference; at != kNoDifference) {
    same = false;
    why = divergence(again.trace, at, why);
  }
  if (recorded.inputs().lost != 0) {
    same = false;
    why = kInputLost;
  }
  const bool cut = is_cut(recorded);
  const Believed failure{same && !cut ? with_inputs_of(recorded, again.trace) : recorded, again.output, 0, 1, std::nullopt};
  CampaignOptions as_recorded = options;
  as_recorded.strategy = "record";
  const Bug bug = save_failure(campaign, as_recorded, failure, 0);
  const std::optional<uint64_t> rest = same ? std::nullopt : replays_from(campaign, recorded, checkpoints);
  save_checkpoints(bug, checkpoints, recorded.data().first + recorded.events().size());
  print_err("heddle: recorded {} as {}{}\n", describe_failure(failure.trace), BugStore::shown(bug.id),
            same ? "" : fmt::format(", but it does not replay{}: {}", rest ? " from the start" : "", why));
  if (rest) print_err("heddle: next: heddle replay --from {} {}\n", *rest, bug.id);
  if (!same) return;
  if (recorded.inputs().from_outside()) print_err("heddle: it holds what the program received: look at it before you share it\n");
  // Without its beginning a run can be replayed and explained; a debugger begins at the start.
  const bool fails = !cut && campaign.fails(failure.trace);
  const char* next = recorded.data().first != 0 ? (fails ? "debug" : "replay") : cut ? "replay --gdb" : "debug";
  print_err("heddle: next: heddle {} {}\n", next, bug.id);
}

}  // namespace heddle::cli
