// heddle show --at N: the schedule is run again up to an event, and every thread says where it stands.
#include "cli/show_at.h"
#include "cli/checkpoints.h"
#include "cli/print.h"
#include "cli/reopen.h"

#include <fmt/format.h>

#include "cli/pipeline.h"
#include "report/names.h"
#include "symbols/symbols_names.h"

namespace heddle::cli {

namespace {

bool is_ours(const Trace& trace, SiteId site) {
  const unsigned module = site_module(site);
  return module < trace.modules().size() && trace.modules()[module].path.find("libheddle-rt") != std::string::npos;
}

std::vector<std::string> frames_of(const Trace& trace, const Symbols& symbols, const std::vector<SiteId>& stack) {
  std::vector<std::string> lines;
  for (SiteId site : stack) {
    if (is_ours(trace, site)) continue;
    const auto frames = symbols.frames(site_module(site), site_offset(site));
    if (frames.empty()) lines.push_back(symbols.describe(site_module(site), site_offset(site)));
    for (const Frame& f : frames) {
      const std::string function = f.function.empty() ? "?" : pretty_function(f.function);
      const std::string file = f.file.substr(f.file.rfind('/') + 1);
      lines.push_back(f.line > 0 ? fmt::format("{}  {}:{}", function, file, f.line) : function);
    }
  }
  return lines;
}

const char* state_of(const Thread& thread) {
  switch (thread.state) {
    case ThreadState::kRunnable: return "can go on";
    case ThreadState::kBlocked: return "waits";
    case ThreadState::kFinished: return "has ended";
    case ThreadState::kRemoved: return "removed";
  }
  return "";
}

// The schedule again, up to its event `at`.
Trace run_to(Campaign& campaign, const Trace& trace, uint64_t at, const SavedCheckpoint* checkpoint = nullptr) {
  Plan plan = campaign.replay_plan(checkpoint != nullptr ? tail_of(trace, checkpoint->step) : trace);
  plan.limits.events = at;
  Trace there = checkpoint != nullptr ? run_from(campaign, *checkpoint, plan).trace : campaign.pool().run_now(plan).trace;
  if (there.data().first + there.events().size() == at) return there;
  throw Error(fmt::format("the schedule could not be followed to event {}: {}", at, describe_failure(there)));
}

}  // namespace

std::vector<std::string> stack_at(Campaign& campaign, const Trace& trace, uint64_t at, uint32_t thread) {
  const Trace there = run_to(campaign, trace, at);
  return frames_of(there, Symbols(module_paths(there)), there.threads()[thread].stack);
}

int show_at(const std::string& bug, const Session& session, const Trace& trace, uint64_t at, bool json) {
  const uint64_t first = trace.data().first;
  if (at <= first || at > first + trace.events().size()) {
    throw Error(fmt::format("--at: the schedule has events {} to {}", first + 1, first + trace.events().size()), ExitCode::kUsage);
  }
  catch_interrupts();
  Reopened r = reopen(bug, session, {.from_checkpoint = true});
  // From the last checkpoint that leaves an event to execute.
  const std::vector<SavedCheckpoint> checkpoints = checkpoints_of(r.bug);
  const SavedCheckpoint* before = last_before(checkpoints, {at - 1, std::nullopt});
  if (before == nullptr && first != 0) before = &first_of(checkpoints, trace);
  const Trace there = run_to(*r.campaign, trace, at, before);
  print_notes(*r.campaign, nullptr);
  const Symbols symbols(module_paths(there));
  Names names(there, symbols);
  const Event& last = there.events().back();
  Json document = {{"at", at}, {"thread", names.thread(last.thread)}, {"event", names.operation(last)}, {"threads", Json::array()}};
  if (!json) print_out("after event {}: {} {}{}\n", at, names.thread(last.thread), names.operation(last), names.own_place(last.site));
  for (size_t i = 0; i < there.threads().size(); ++i) {
    const Thread& t = there.threads()[i];
    const bool lives = t.state == ThreadState::kRunnable || t.state == ThreadState::kBlocked;
    // Where the run itself ended here, only the thread that ended it had the time to say where it was.
    const auto& stack = t.stack.empty() && there.outcome().thread == i ? there.outcome().stack : t.stack;
    const std::vector<std::string> frames = frames_of(there, symbols, stack);
    const std::string next = lives && t.pending != Op::kNone ? names.operation(t.pending, t.object) : "";
    document["threads"].push_back(
        {{"thread", names.thread(static_cast<uint32_t>(i))}, {"state", state_of(t)}, {"next", next}, {"stack", frames}});
    if (json) continue;
    print_out("\n{}  {}{}{}\n", names.thread(static_cast<uint32_t>(i)), state_of(t), next.empty() ? "" : ", next: ", next);
    for (size_t k = 0; k < frames.size(); ++k) print_out("  #{:<2} {}\n", k, frames[k]);
  }
  if (json) print_json(document);
  return 0;
}

}  // namespace heddle::cli
