#include "policy/director.h"

namespace heddle::policy {

void Director::install(const PlanView& plan, PolicyThread* threads, uint64_t step, uint64_t cursor) {
  state_ = PolicyState{};
  state_.plan = plan;
  state_.threads = threads;
  state_.tail = plan.header->tail;
  state_.early_left = state_.tail.early;
  state_.spurious_left = state_.tail.spurious;
  state_.quantum_start = step;
  policy_ = &policy_row(plan.header->tail.kind);
  slice_count_ = plan.header->slice_count;
  cursor_ = cursor;
  skipped_ = 0;
}

Decision Director::follow_slices(const PointView& m, bool* decided) {
  *decided = true;
  const bool strict = state_.plan.header->strictness == Strictness::kStrict;
  while (cursor_ < slice_count_) {
    const Slice& slice = state_.plan.slices[cursor_];
    uint32_t index = kNobody;
    bool others_ready = false;
    for (uint32_t i = 0; i < m.count; ++i) {
      if (m.threads[i].thread == slice.thread) {
        index = i;
      } else if (m.threads[i].ready == Ready::kYes) {
        others_ready = true;
      }
    }
    if (index != kNobody && m.threads[index].number > slice.until) {
      ++cursor_;
      continue;
    }
    const char* obstacle = "its thread has ended or is not born yet";
    if (index != kNobody) {
      const Candidate& c = m.threads[index];
      // A slice is closed with its last operation: afterwards its thread may be gone, and gone is no obstacle to what it has done.
      const uint64_t closes = c.number == slice.until ? 1 : 0;
      if (c.ready == Ready::kYes) {
        cursor_ += closes;
        return {Verdict::kRun, index, nullptr};
      }
      // A time-out fires only where the plan recorded one, or where nothing else can run: otherwise a wait that was signalled in the
      // original run would time out early in a reordered one.
      // Of several that wait for time to pass the first deadline comes first; a recorded run that had it otherwise is followed all the same.
      const Choice* choice = find_choice(c.thread, c.number);
      const bool its_turn = !others_ready && (strict || earliest_deadline(m) == index);
      const bool told = choice != nullptr && choice->value == kChoiceTimeout && (strict || c.deadline <= m.now + kLongestEarlyMs * kNsInMs);
      if (c.ready == Ready::kTimeout && (its_turn || told)) {
        cursor_ += closes;
        return {Verdict::kRun, index, nullptr};
      }
      obstacle = "its thread is blocked";
    }
    if (strict) return {Verdict::kDiverged, kNobody, obstacle};
    ++cursor_;
    ++skipped_;
  }
  *decided = false;
  return {Verdict::kStuck, kNobody, nullptr};
}

Decision Director::next_by_plan_or_policy(const PointView& m, bool fair) {
  // A slice that only idles keeps the others waiting for nothing; where the plan need not be followed to the letter they take turns.
  const bool released = fair && state_.plan.header->strictness == Strictness::kRelaxed;
  if (!in_tail() && !released) {
    bool decided = false;
    const Decision followed = follow_slices(m, &decided);
    if (decided) return followed;
  }
  bool anybody = false;
  for (uint32_t i = 0; i < m.count && !anybody; ++i) anybody = m.threads[i].ready != Ready::kNo;
  if (!anybody) return {Verdict::kStuck, kNobody, nullptr};
  const uint32_t index = fair ? oldest_eligible(state_, m) : policy_->pick(state_, m);
  if (m.threads[index].ready == Ready::kTimeout && state_.early_left > 0) {
    for (uint32_t i = 0; i < m.count; ++i) {
      if (m.threads[i].ready != Ready::kYes) continue;
      --state_.early_left;
      break;
    }
  }
  return {Verdict::kRun, index, nullptr};
}

const Choice* Director::find_choice(ThreadId thread, uint64_t number) const {
  uint32_t low = 0;
  uint32_t high = state_.plan.header->choice_count;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    const Choice& c = state_.plan.choices[middle];
    if (c.thread < thread || (c.thread == thread && c.number < number)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == state_.plan.header->choice_count) return nullptr;
  const Choice& c = state_.plan.choices[low];
  return c.thread == thread && c.number == number ? &c : nullptr;
}

uint32_t Director::choose(ThreadId thread, uint32_t number, uint64_t step, const uint64_t* options, uint32_t count) const {
  if (const Choice* planned = find_choice(thread, number)) {
    for (uint32_t i = 0; i < count; ++i) {
      if (options[i] == planned->value) return i;
    }
  }
  const PolicySpec& spec = state_.plan.header->tail;
  if (!draws_in_slices(spec) && (!in_tail() || !policy_->draws)) return 0;
  return static_cast<uint32_t>(mix(mix(spec.seed, 0xC401CE), step) % count);
}

bool Director::wakes_unasked(ThreadId thread, uint64_t number, uint64_t step) {
  constexpr uint64_t kOneIn = 4;
  if (const Choice* planned = find_choice(thread, number)) return planned->value == kChoiceSpurious;
  if (state_.spurious_left == 0 || !in_tail() || mix(mix(state_.tail.seed, 0x59A2), step) % kOneIn != 0) return false;
  --state_.spurious_left;
  return true;
}

bool Director::removed(ThreadId thread) const {
  for (uint32_t i = 0; i < state_.plan.header->skip_count; ++i) {
    const Skip& skip = state_.plan.skips[i];
    if (skip.kind == SkipKind::kThread && skip.thread == thread) return true;
  }
  return false;
}

bool Director::skips(SkipKind kind, ThreadId thread, LoopId loop, uint64_t number) const {
  const Skip wanted{kind, 0, thread, loop, number};
  // The last that does not lie behind it.
  uint32_t low = 0, high = state_.plan.header->skip_count;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (skips_before(wanted, state_.plan.skips[middle])) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  if (low == 0) return false;
  const Skip& last = state_.plan.skips[low - 1];
  return last.kind == kind && last.thread == thread && last.loop == loop && number - last.iteration <= last.more;
}

}  // namespace heddle::policy
