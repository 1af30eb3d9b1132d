#include "search/make.h"
#include "trace/rows.h"

namespace heddle::search {

HEDDLE_TABLE(searches, SearchRow);

const std::vector<SearchRow>& searches() {
  static const std::vector<SearchRow> rows = rows_by_rank(rows_begin_searches, rows_end_searches);
  return rows;
}

const SearchRow* search_named(const std::string& name) {
  for (const SearchRow& row : searches()) {
    if (name == row.name) return &row;
  }
  return nullptr;
}

Plan plan_with(const SearchOptions& options, PolicyKind kind, uint64_t index) {
  Plan plan = options.base;
  plan.tail = {};
  plan.tail.kind = kind;
  plan.tail.seed = mix(options.seed, index);
  plan.tail.early = static_cast<uint16_t>(options.early_timeouts);
  plan.tail.spurious = static_cast<uint16_t>(options.spurious_wakeups);
  return plan;
}

}  // namespace heddle::search
