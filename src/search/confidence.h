#pragma once
// How sure one may be after so many runs.
#include <cstdint>

namespace heddle::search {

struct Proportion {
  double value = 0, low = 0, high = 1;
};
// The exact interval for a probability of which `hits` of `runs` independent trials came true (Clopper & Pearson 1934), two-sided.
Proportion clopper_pearson(uint64_t hits, uint64_t runs, double confidence = 0.95);
// The same where trials were made until the first came true, which was the runs-th: the interval of a geometric variable.
Proportion first_hit(uint64_t runs, double confidence = 0.95);

// That `runs` independent runs all miss what each shows with probability p.
double miss_probability(double p, uint64_t runs);
// How many runs it takes until they miss it with a probability of at most `miss`.
uint64_t runs_needed(double p, double miss);

}  // namespace heddle::search
