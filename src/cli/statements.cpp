#include "cli/statements.h"

#include <fmt/format.h>

#include "cli/origins.h"
#include "cli/session.h"
#include "simplify/statements.h"

namespace heddle::cli {

namespace {

constexpr size_t kMostTraced = 200'000;  // events: under Valgrind a longer run takes minutes

// The same run, with its statements counted.
Trace counted(Campaign& campaign, const Trace& best) {
  Plan plan = campaign.replay_plan(best);
  plan.detect |= kDetectStatements;
  return campaign.pool().run_now(plan).trace;
}

std::vector<bool> needed(const std::vector<StatementRun>& runs) {
  std::vector<bool> all;
  for (const StatementRun& r : runs) all.push_back(r.relevant);
  return all;
}

StatementSlices slices_of(const TracedRun& traced) {
  StatementSlices slices;
  StatementRuns statements = statement_runs(*traced.blocks, traced.run);
  OriginQuestion question = about_failure(traced.run);
  question.births = births_of(traced.run);
  question.torn = torn_updates(traced.run);
  slice_statements(statements, *traced.blocks, traced.run, question, StatementEdges::kOrders);
  slices.orders = needed(statements.runs);
  slice_statements(statements, *traced.blocks, traced.run, question, StatementEdges::kValues);
  slices.values = needed(statements.runs);
  slices.runs = std::move(statements.runs);
  slices.places = traced.run.data().loops;
  return slices;
}

}  // namespace

void remove_irrelevant_statements(Campaign& campaign, const Trace& failing, ReduceResult& result, const ReduceOptions& options) {
  if (stop_flag()) return;
  const Trace again = counted(campaign, result.best);
  if (again.data().statement_mark == 0) return;
  if (first_difference(result.best, again) != kNoDifference) {
    result.no_statements = fmt::format("the run changes when its statements are counted: {}", describe_failure(again));
    return;
  }
  if (result.best.events().size() > kMostTraced) {
    result.no_statements = "what is left of the run is too long to be sliced";
    return;
  }
  const TracedRun traced = trace_blocks(campaign, result.best, kDetectStatements);
  result.no_statements = traced.why_not;
  if (!traced.why_not.empty() || stop_flag()) return;
  const ReduceResult before = result;
  remove_statements(
      result, slices_of(traced), [&](const Trace& trace) { return same_bug(failing, trace); }, campaign.pool(), options);
  if (stop_flag() || first_difference(before.best, result.best) == kNoDifference || campaign.confirm(result.best).believed) return;
  result = before;
  result.no_statements = "the run without them does not replay";
}

}  // namespace heddle::cli
