#include "cli/recording.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/finding.h"
#include "cli/print.h"
#include "cli/same_output.h"
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

void keep_recording(const Target& target, const RecordArguments& given, const std::shared_ptr<const Input>& input, const Trace& recorded) {
  CampaignOptions options = given.campaign;
  if (!recorded.inputs().calls.empty()) options.inputs = recorded.data().inputs;
  Campaign campaign(target, options, options.predicates(), input);
  Plan plan = campaign.replay_plan(recorded);
  end_soon_after(recorded, &plan);
  RunResult again = campaign.pool().run_now(plan);
  std::string why;
  bool same = replay_difference(recorded, again.trace, &why) == kNoDifference;
  if (!same && is_inconclusive(again.trace.outcome())) why = again.trace.outcome().message;
  if (recorded.inputs().lost != 0) {
    same = false;
    why = kInputLost;
  }
  const bool cut = is_cut(recorded);
  const Believed failure{same && !cut ? again.trace : recorded, again.output, 0, 1, std::nullopt};
  CampaignOptions as_recorded = options;
  as_recorded.strategy = "record";
  const Bug bug = save_failure(campaign, as_recorded, failure, 0);
  print_err("heddle: recorded {} as {}{}\n", describe_failure(failure.trace), BugStore::shown(bug.id),
            same ? "" : fmt::format(", but it does not replay: {}", why));
  if (!same) return;
  if (recorded.inputs().from_outside()) print_err("heddle: it holds what the program received: look at it before you share it\n");
  print_err("heddle: next: heddle {} {}\n", cut ? "replay --gdb" : "debug", bug.id);
}

}  // namespace heddle::cli
