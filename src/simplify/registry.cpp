#include "simplify/passes.h"

namespace heddle {

const std::vector<PassRow>& passes() {
  static const std::vector<PassRow> rows = {
      {"tinertia", "Tinertia as published, one execution after the other", "Jalbert & Sen, FSE 2010, Algorithm 1", true, make_tinertia},
  };
  return rows;
}

const PassRow* pass_named(const std::string& name) {
  for (const PassRow& row : passes()) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

}  // namespace heddle
