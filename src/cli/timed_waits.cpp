#include "cli/timed_waits.h"

#include "wire/ops.h"

namespace heddle::cli {

namespace {

constexpr uint64_t kSchedules = 16;

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
    for (uint64_t i = 0; i <= kSchedules; ++i) {
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

}  // namespace heddle::cli
