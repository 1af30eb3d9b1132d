#include "simplify/simplify.h"
#include "trace/rows.h"

namespace heddle::simplify {

HEDDLE_TABLE(passes, PassRow);

const std::vector<PassRow>& passes() {
  static const std::vector<PassRow> rows = rows_by_rank(rows_begin_passes, rows_end_passes);
  return rows;
}

const PassRow* pass_named(const std::string& name) {
  for (const PassRow& row : passes()) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

}  // namespace heddle::simplify
