#include "search/make.h"

namespace heddle {

const std::vector<SearchRow>& searches() {
  static const std::vector<SearchRow> rows = {
      {"portfolio", "the default: systematic first, then what brings new behaviour", "see docs/design.md", make_portfolio},
      {"sequential", "the one schedule without preemptions", "Huang & Zhang 2012, section 2.2", make_sequential},
      {"random", "random walks that stay with a thread more or less", "Thomson, Donaldson & Betts 2016, section 4", make_random},
      {"walk", "the uniform random walk: every thread as likely at every point", "Jalbert & Sen 2010, section 5", make_walk},
      {"pct", "random priorities and d - 1 random change points", "Burckhardt et al. 2010, section 3", make_pct},
      {"pos", "a random priority for each pending operation, drawn anew when it races", "Yuan, Yang & Gu 2018, algorithm 2", make_pos},
      {"surw", "all interleavings of the contended operations equally likely", "Zhao et al. 2025", make_surw},
      {"race", "threads wait for each other at racing or contended operations", "Sen 2008; Jalbert & Sen 2010, section 5", make_race},
      {"guided", "turns racing and contended pairs round one by one, most promising first", "Flanagan & Godefroid 2005, section 3",
       make_guided},
      {"bounded", "all schedules, fewest preemptions first", "Musuvathi & Qadeer 2007, section 3.1; 2008, algorithm 1", make_bounded},
      {"rff", "mutates runs that showed a new reads-from pair", "Wolff et al. 2024", make_rff},
      {"delay", "all schedules of a round-robin scheduler, fewest delays first", "Emmi, Qadeer & Rakamaric 2011, section 3", make_delay},
      {"period", "all sequences of periods between conflicting operations, fewest first", "Wen et al. 2022", make_period},
      {"frontier", "goes back to states seldom met and on from there", "Ecoffet et al. 2021, First return, then explore", make_frontier},
      {"gaussian", "moves the switches of a run a little, then more", "Choi & Zeller 2002, section 5", make_gaussian},
  };
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
  plan.tail.early = options.early_timeouts;
  return plan;
}

}  // namespace heddle
