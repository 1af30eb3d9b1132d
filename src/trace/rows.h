#pragma once
// The rows of a table (wire/rows.h) in the order in which people see them.
#include <algorithm>
#include <vector>

#include "wire/rooms.h"
#include "wire/rows.h"

namespace heddle::trace {

template <typename Row>
std::vector<Row> rows_by_rank(const Row* const* begin, const Row* const* end) {
  std::vector<Row> rows;
  for (; begin != end; ++begin) rows.push_back(**begin);
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.rank < b.rank; });
  return rows;
}

}  // namespace heddle::trace
