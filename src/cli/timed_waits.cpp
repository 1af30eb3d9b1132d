#include "cli/timed_waits.h"

#include <algorithm>

#include "wire/ops.h"

namespace heddle::cli {

namespace {

constexpr uint64_t kOldSchedules = 16;

// Places of the new build that do the same to the same object in the same function.
size_t places_like(const PlacedOperation& o, const std::vector<PlacedOperation>& added, const Anchors& anchors,
                   const Reanchoring& matching) {
  const auto like = [&](const PlacedOperation& other) {
    return other.op == o.op && other.object == o.object && other.place.function == o.place.function;
  };
  auto count = static_cast<size_t>(std::count_if(added.begin(), added.end(), like));
  for (uint32_t i = 0; i < anchors.operations.size(); ++i) count += like(anchors.operations[i]) && matching.found(i) ? 1 : 0;
  return count;
}

}  // namespace

void TimedWaits::add(const PlacedTrace& run) {
  for (const PlacedOperation& operation : run.operations()) {
    if (has(operation.op, kTimed)) lines_[key(operation)].insert(operation.place.line);
  }
}

size_t TimedWaits::like(const PlacedOperation& operation) const {
  const auto at = lines_.find(key(operation));
  return at == lines_.end() ? 0 : at->second.size();
}

TimedWaits timed_waits_before(const VerifySubject& subject, const CampaignOptions& options) {
  TimedWaits waits;
  const OldBuild old(subject);
  if (!old.target()) return waits;
  try {
    Campaign before(*old.target(), options, subject.predicates, subject.input);
    Placer placer;
    Plan plan = before.base();
    if (subject.bug.env_seed != 0) plan.env_seed = subject.bug.env_seed;
    for (uint64_t i = 0; i <= kOldSchedules; ++i) {
      waits.add(placer.place(before.pool().run_now(plan).trace));
      plan.tail.kind = PolicyKind::kRandom;
      plan.tail.seed = i;
    }
  } catch (const Error& error) {
    // The old build may need libraries that are not there any more: then nothing is known of it.
    if (error.exit_code() == ExitCode::kInterrupted) throw;
  }
  return waits;
}

std::optional<PlacedOperation> added_wait(const VerifySubject& subject, const CampaignOptions& options, const Reanchoring& matching) {
  std::vector<PlacedOperation> added = matching.added();
  std::erase_if(added, [](const PlacedOperation& o) { return !has(o.op, kTimed); });
  if (added.empty()) return std::nullopt;
  // The failing run may not have come to what was always there.
  const TimedWaits before = timed_waits_before(subject, options);
  for (const PlacedOperation& o : added) {
    if (before.like(o) < places_like(o, added, subject.anchors, matching)) return o;
  }
  return std::nullopt;
}

}  // namespace heddle::cli
