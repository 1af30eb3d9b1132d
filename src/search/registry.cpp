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

void append(std::vector<Slice>& slices, ThreadId thread, uint64_t number) {
  if (!slices.empty() && slices.back().thread == thread) {
    slices.back().until = number;
  } else {
    slices.push_back({thread, number});
  }
}

void follow(Plan& plan, const Trace& run, size_t count) {
  for (const Event& e : run.events().first(count)) {
    append(plan.slices, run.thread_id(e), e.number);
    if (const auto choice = choice_of(run, e)) plan.choices.push_back(*choice);
  }
}

}  // namespace heddle::search
