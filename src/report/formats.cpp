#include "report/formats.h"

#include "trace/rows.h"

namespace heddle::report {

HEDDLE_TABLE(formats, FormatRow);

const std::vector<FormatRow>& formats() {
  static const std::vector<FormatRow> rows = rows_by_rank(rows_begin_formats, rows_end_formats);
  return rows;
}

}  // namespace heddle::report
