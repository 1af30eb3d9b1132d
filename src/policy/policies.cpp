#include "policy/policies.h"

namespace heddle {

namespace {

constexpr PolicyRow kRows[] = {
    {PolicyKind::kStay, "stay", pick_stay},
    {PolicyKind::kRandom, "random", pick_random},
    {PolicyKind::kPct, "pct", pick_pct},
    {PolicyKind::kTimeSlice, "timeslice", pick_time_slice},
};

bool anybody_ready(const Moment& m) {
  for (uint32_t i = 0; i < m.count; ++i) {
    if (m.threads[i].ready == Ready::kYes) return true;
  }
  return false;
}

uint32_t earliest_deadline(const Moment& m) {
  uint32_t best = kNobody;
  for (uint32_t i = 0; i < m.count; ++i) {
    if (m.threads[i].ready != Ready::kTimeout) continue;
    if (best == kNobody || m.threads[i].deadline < m.threads[best].deadline) best = i;
  }
  return best;
}

}  // namespace

const PolicyRow* policy_rows(uint32_t* count) {
  *count = sizeof(kRows) / sizeof(kRows[0]);
  return kRows;
}

const PolicyRow& policy_row(PolicyKind kind) {
  for (const PolicyRow& row : kRows) {
    if (row.kind == kind) return row;
  }
  return kRows[0];
}

bool runnable(const PolicyState& state, const Moment& m, uint32_t index) {
  const Candidate& c = m.threads[index];
  if (c.ready == Ready::kYes) return true;
  if (c.ready == Ready::kNo) return false;
  if (state.early_left > 0 && c.deadline <= m.now + kEarlyTimeoutNs) return true;
  return !anybody_ready(m) && earliest_deadline(m) == index;
}

bool eligible(const PolicyState& state, const Moment& m, uint32_t index) {
  if (!runnable(state, m, index)) return false;
  if (!m.threads[index].gave_way) return true;
  for (uint32_t i = 0; i < m.count; ++i) {
    if (i != index && !m.threads[i].gave_way && runnable(state, m, i)) return false;
  }
  return true;
}

uint32_t oldest_eligible(const PolicyState& state, const Moment& m) {
  uint32_t best = kNobody;
  for (uint32_t i = 0; i < m.count; ++i) {
    if (!eligible(state, m, i)) continue;
    if (best == kNobody || m.threads[i].last_step < m.threads[best].last_step) best = i;
  }
  return best;
}

}  // namespace heddle
