#include "simplify/passes.h"

namespace heddle {

const std::vector<PassRow>& passes() {
  static const std::vector<PassRow> rows = {
      {"tinertia", "Tinertia as published, one execution after the other", "Jalbert & Sen, FSE 2010, Algorithm 1", false, make_tinertia},
      {"reorder", "swap independent neighbours on the trace until intervals merge; one run", "Huang & Zhang, SAS 2011 (SimTrace)", true,
       make_reorder},
      {"replan", "put schedules together from what each thread did, and try the simplest",
       "Huang & Zhang, SAS 2011, with locks in any order", true, make_replan},
      {"direct", "stop one thread where the failing run has a preemption, let all others run, go on", "Lu et al., ASPLOS 2008, section 4",
       true, make_direct},
      {"preemptions", "delta debugging over the set of preemptions", "Zeller & Hildebrandt, TSE 2002 (ddmin)", true, make_preemptions},
      {"merge", "Tinertia's operations, predicted and remembered by class of schedules", "Jalbert & Sen, FSE 2010, section 3.3", true,
       make_merge},
      {"bound", "search all schedules with fewer preemptions; finding none proves the minimum", "Musuvathi & Qadeer, PLDI 2007", true,
       make_bound},
      {"minimal", "Tinertia's operations on every interval: none that succeeds makes the schedule 1-minimal",
       "Jalbert & Sen, FSE 2010, section 3", true, make_minimal},
      {"exhaustive", "search all schedules, the cheapest first: the optimum, for small programs", "Musuvathi & Qadeer, PLDI 2007", false,
       make_exhaustive},
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
