#pragma once
// A schedule of another build, fitted to this one by running it: each slice is followed as far as the anchors say, and where its thread goes on
// from there shows where the next end is.
#include <string>
#include <vector>

#include "trace/executor.h"
#include "trace/reanchor.h"

namespace heddle::search {

struct Reanchored {
  std::vector<ReanchoredEnd> ends;  // of each slice
  Plan plan;                        // relaxed
  std::vector<bool> chosen;         // by slice of the plan: its end is a switch that the schedule chose
  std::vector<SiteId> sites;        // before which the chosen switches come; sorted
  Trace replay;                     // the run of the plan
  size_t executions = 0;
  size_t exact = 0, moved = 0, lost = 0;
  size_t threads_lost = 0;      // threads of the schedule of which no anchor was found
  size_t threads_replaced = 0;  // of them, those that are there and synchronise by other means than before

  size_t found() const { return exact + moved; }
  size_t threads_gone() const { return threads_lost - threads_replaced; }
};

// `base`: point set, limits, input. `run` makes runs of the new build with the stacks of their events where it can.
Reanchored reanchor(const Anchors& anchors, Reanchoring& matching, const Plan& base, const Execute& run, Placer& placer);

}  // namespace heddle::search
