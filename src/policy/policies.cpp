#include "policy/policies.h"

#include "model/condition.h"
#include "model/rwlock.h"

namespace heddle::policy {

namespace {

bool anybody_ready(const PointView& m) {
  for (uint32_t i = 0; i < m.count; ++i) {
    if (m.threads[i].ready == Ready::kYes) return true;
  }
  return false;
}

// May this wait end early, at this step? One that may at every step ends soon after it began: at few steps it ends anywhere in the work of others.
bool ends_early(const PolicyState& state, const PointView& m, const Candidate& c) {
  if (state.early_left == 0) return false;
  const PolicySpec& tail = state.tail;
  const bool own = tail.kind == PolicyKind::kPos || tail.kind == PolicyKind::kRandom;
  if (own && tail.quantum > 1 && mix(tail.seed ^ 0xEA215, m.step) % tail.quantum != 0) return false;
  return c.deadline <= m.now + (own && tail.length != 0 ? tail.length : kEarlyTimeoutMs) * kNsInMs;
}

}  // namespace

uint32_t earliest_deadline(const PointView& m) {
  uint32_t best = kNobody;
  for (uint32_t i = 0; i < m.count; ++i) {
    if (m.threads[i].ready != Ready::kTimeout) continue;
    if (best == kNobody || m.threads[i].deadline < m.threads[best].deadline) best = i;
  }
  return best;
}

const PolicyRow& policy_row(PolicyKind kind) {
  const PolicyRow* stay = nullptr;
  for (const PolicyRow* const* row = rows_begin_policies; row != rows_end_policies; ++row) {
    if ((*row)->kind == kind) return **row;
    if ((*row)->kind == PolicyKind::kStay) stay = *row;
  }
  return *stay;
}

bool runnable(const PolicyState& state, const PointView& m, uint32_t index) {
  const Candidate& c = m.threads[index];
  if (c.ready == Ready::kYes) return true;
  if (c.ready == Ready::kNo) return false;
  if (ends_early(state, m, c)) return true;
  return !anybody_ready(m) && earliest_deadline(m) == index;
}

bool eligible_after_looking(const PolicyState& state, const PointView& m, uint32_t index) {
  if (!runnable(state, m, index)) return false;
  if (!m.threads[index].gave_way) return true;
  for (uint32_t i = 0; i < m.count; ++i) {
    if (i != index && !m.threads[i].gave_way && runnable(state, m, i)) return false;
  }
  return true;
}

bool racing(const Candidate& a, const Candidate& b) {
  if (a.object != b.object || a.object == kNoObject || a.thread == b.thread) return false;
  if (is_memory(a.op) && is_memory(b.op)) return has(a.op, kWrites) || has(b.op, kWrites);
  auto only_releases = [](Op op) { return has(op, kReleases) && !has(op, kAcquires); };
  const auto waits = model::is_condition_wait;
  const auto reads = model::is_shared_lock_request;
  if (waits(a.op) || waits(b.op)) return true;
  return !(only_releases(a.op) && only_releases(b.op)) && !(reads(a.op) && reads(b.op));
}

// A thread that waits is looked at again and again, and there may be hundreds of marks.
bool marked(const PolicyState& state, const Candidate& c) {
  PolicyThread& own = state.threads[c.slot];
  if (own.looked_object == c.object && own.looked_site == c.site) return own.marked;
  own.looked_object = c.object;
  own.looked_site = c.site;
  own.marked = false;
  for (uint32_t i = 0; i < state.plan.header->mark_count && !own.marked; ++i) {
    const uint64_t mark = state.plan.marks[i];
    own.marked = mark != 0 && (mark == c.object || mark == c.site);
  }
  return own.marked;
}

uint32_t oldest_eligible(const PolicyState& state, const PointView& m) {
  uint32_t best = kNobody;
  for (uint32_t i = 0; i < m.count; ++i) {
    if (!eligible(state, m, i)) continue;
    if (best == kNobody || m.threads[i].last_step < m.threads[best].last_step) best = i;
  }
  return best;
}

}  // namespace heddle::policy
