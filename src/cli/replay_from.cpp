#include "cli/replay_from.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "cli/pipeline.h"
#include "cli/print.h"
#include "cli/same_output.h"

namespace heddle::cli {

namespace {

struct Part {
  const SavedCheckpoint* begin = nullptr;  // nullptr: the start
  uint64_t end = 0;                        // events of the run; 0: all
};

Part part_of(const std::vector<SavedCheckpoint>& all, const Trace& saved, const ReplaySpan& span) {
  Part part;
  const uint64_t last = saved.data().first + saved.events().size();
  if (!span.to.empty()) {
    const Moment to = parse_moment("--to", span.to);
    const auto after = std::find_if(all.begin(), all.end(), [&](const SavedCheckpoint& c) { return to.ms && c.real_ms >= *to.ms; });
    part.end = to.event ? *to.event : after != all.end() ? after->step : last;
  }
  const Moment from = span.from.empty() ? Moment{saved.data().first, std::nullopt} : parse_moment("--from", span.from);
  if (from.event && *from.event >= last)
    throw Error(fmt::format("--from: the recording has events {} to {}", saved.data().first + 1, last), ExitCode::kUsage);
  part.begin = last_before(all, from);
  if (part.begin == nullptr && saved.data().first != 0) part.begin = &first_of(all, saved);
  const uint64_t begin = part.begin != nullptr ? part.begin->step : 0;
  if (part.end != 0 && (part.end <= begin || part.end > last))
    throw Error(fmt::format("--to: the replay begins after event {}, and the recording ends with event {}", begin, last), ExitCode::kUsage);
  return part;
}

// The recorded run, as far as the replay goes.
Trace up_to(const Trace& trace, uint64_t end) {
  Trace::Data data = trace.data();
  data.events.resize(std::min<size_t>(data.events.size(), end - data.first));
  data.executed = end;
  data.outcome = {};
  data.outcome.kind = OutcomeKind::kLimit;
  return Trace(std::move(data));
}

}  // namespace

int replay_span(Reopened& r, const Trace& saved, const ReplaySpan& span, const std::optional<Output>& written) {
  const std::vector<SavedCheckpoint> all = checkpoints_of(r.bug);
  const Part part = part_of(all, saved, span);
  Trace wanted = part.begin != nullptr ? tail_of(saved, part.begin->step) : saved;
  if (part.end != 0) wanted = up_to(wanted, part.end);
  Plan plan = r.campaign->replay_plan(wanted);
  end_soon_after(wanted, &plan);
  const auto begun = std::chrono::steady_clock::now();
  const RunResult result = part.begin != nullptr ? run_from(*r.campaign, *part.begin, plan) : r.campaign->pool().run_now(plan);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  print_notes(*r.campaign, nullptr);
  std::string difference;
  const size_t at = replay_difference(wanted, result.trace, &difference);
  const bool same_events = at == kNoDifference;
  if (!same_events) difference = why_given_up(wanted, result.trace, at, difference);
  if (same_events && written && !is_cut(wanted)) difference = tail_difference(*written, result.output);
  if (saved.inputs().lost != 0) difference = kInputLost;
  const bool same = same_events && difference.empty();
  const bool fails = same && !is_cut(wanted) && r.campaign->fails(result.trace);
  const uint64_t begin = part.begin != nullptr ? part.begin->step : 0;
  if (span.json) {
    Json document = {{"verdict", !same ? "diverged" : fails ? "failure" : "replayed"}};
    document["failure"] = json_failure(result.trace);
    document["from"] = begin;
    document["events"] = result.trace.events().size();
    document["identical"] = same;
    document["seconds"] = seconds;
    if (part.begin != nullptr) document["checkpoint_ms"] = part.begin->real_ms;
    if (!difference.empty()) document["difference"] = difference;
    document["bug"] = BugStore::shown(r.bug.id);
    print_json(document);
  } else {
    write_program_output(stdout, result.output.out);
    write_program_output(stderr, result.output.err);
    const std::string place = part.begin != nullptr ? fmt::format("from event {}, {:.1f} s after the start", begin,
                                                                  static_cast<double>(part.begin->real_ms) / 1000)
                                                    : std::string("from the start");
    print_out("BUG {}  {} {}: {}\n", r.bug.id, same ? "replayed" : "diverged", place,
              same ? fmt::format("{} events, as recorded{}", result.trace.events().size(),
                                 fails ? fmt::format("; {}", describe_failure(result.trace)) : "")
                   : difference);
  }
  if (!same) return exit_value(ExitCode::kCannotTest);
  return exit_value(fails ? ExitCode::kFailure : ExitCode::kNothing);
}

uint64_t event_at(const Bug& bug, const Moment& moment) {
  if (moment.event) return *moment.event;
  const std::vector<SavedCheckpoint> all = checkpoints_of(bug);
  const SavedCheckpoint* before = last_before(all, moment);
  return before != nullptr ? before->step : 1;
}

}  // namespace heddle::cli
