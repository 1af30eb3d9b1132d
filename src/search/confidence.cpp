#include "search/confidence.h"

#include <algorithm>
#include <cmath>

namespace heddle::search {

namespace {

// P(X >= hits) for X binomial(runs, p); summed in the logarithm, so that nothing underflows.
double at_least(uint64_t hits, uint64_t runs, double p) {
  if (hits == 0 || p >= 1) return 1;
  if (p <= 0) return 0;
  const auto n = static_cast<double>(runs);
  double sum = 0;
  for (uint64_t k = hits; k <= runs; ++k) {
    const auto x = static_cast<double>(k);
    sum += std::exp(std::lgamma(n + 1) - std::lgamma(x + 1) - std::lgamma(n - x + 1) + x * std::log(p) + (n - x) * std::log1p(-p));
  }
  return std::min(1.0, sum);
}

// The p at which the rising function reaches the value.
template <typename Rising>
double solve(Rising rising, double value) {
  double low = 0;
  double high = 1;
  for (int i = 0; i < 200; ++i) {
    const double middle = (low + high) / 2;
    (rising(middle) < value ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace

Proportion clopper_pearson(uint64_t hits, uint64_t runs, double confidence) {
  if (runs == 0) return {};
  const double tail = (1 - confidence) / 2;
  Proportion p;
  p.value = static_cast<double>(hits) / static_cast<double>(runs);
  if (hits > 0) p.low = solve([&](double x) { return at_least(hits, runs, x); }, tail);
  if (hits < runs) p.high = solve([&](double x) { return at_least(hits + 1, runs, x); }, 1 - tail);
  return p;
}

Proportion first_hit(uint64_t runs, double confidence) {
  if (runs == 0) return {};
  const double tail = (1 - confidence) / 2;
  const auto n = static_cast<double>(runs);
  Proportion p;
  p.value = 1 / n;
  // P(first hit in at most n runs) = 1 - (1 - p)^n for the lower end, P(in at least n) = (1 - p)^(n - 1) for the upper.
  p.low = 1 - std::pow(1 - tail, 1 / n);
  p.high = runs == 1 ? 1 : 1 - std::pow(tail, 1 / (n - 1));
  return p;
}

double miss_probability(double p, uint64_t runs) {
  return p >= 1 ? (runs > 0 ? 0 : 1) : std::exp(static_cast<double>(runs) * std::log1p(-p));
}

uint64_t runs_needed(double p, double miss) {
  if (p <= 0) return ~uint64_t{0};
  if (p >= 1) return 1;
  const double runs = std::ceil(std::log(miss) / std::log1p(-p));
  return runs < 1e15 ? static_cast<uint64_t>(std::max(1.0, runs)) : ~uint64_t{0};
}

}  // namespace heddle::search
