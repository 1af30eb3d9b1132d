#include "simplify/delta.h"

#include <algorithm>

namespace heddle::simplify {

namespace {

// How many atomic differences of each switch are applied to the passing schedule. Those of one switch are interchangeable (each moves it
// by one unit), so that billions of them need no more room than the switches.
using Applied = std::vector<uint64_t>;

class DeltaDebugger {
 public:
  DeltaDebugger(Times passing, Times failing, const std::function<TestOutcome(const Times&)>& test, const std::function<bool()>& go_on,
                const std::function<bool(const Times&)>& valid)
      : origin_(std::move(passing)),
        target_(std::move(failing)),
        test_(test),
        go_on_(go_on),
        valid_(valid),
        pass_(origin_.size()),
        fail_(origin_.size()) {
    for (size_t i = 0; i < origin_.size(); ++i) {
      fail_[i] = origin_[i] > target_[i] ? origin_[i] - target_[i] : target_[i] - origin_[i];
      result_.differences += fail_[i];
      result_.switches += fail_[i] != 0 ? 1 : 0;
    }
    known_[origin_] = TestOutcome::kPass;
    known_[target_] = TestOutcome::kFail;
  }

  DeltaResult go() {
    grouped_ = true;  // whole switches first
    dd();
    grouped_ = false;
    dd();
    result_.minimal = !cut_;
    result_.passing = times(pass_);
    result_.failing = times(fail_);
    result_.left = size();
    result_.switches_left = groups();
    return result_;
  }

 private:
  Times times(const Applied& applied) const {
    Times t = origin_;
    for (size_t i = 0; i < t.size(); ++i) t[i] = origin_[i] < target_[i] ? t[i] + applied[i] : t[i] - applied[i];
    return t;
  }

  uint64_t size() const {
    uint64_t n = 0;
    for (size_t i = 0; i < pass_.size(); ++i) n += fail_[i] - pass_[i];
    return n;
  }
  size_t groups() const {
    size_t n = 0;
    for (size_t i = 0; i < pass_.size(); ++i) n += fail_[i] != pass_[i] ? 1 : 0;
    return n;
  }

  TestOutcome test(const Applied& applied) {
    const Times t = times(applied);
    const auto at = known_.find(t);
    if (at != known_.end()) return at->second;
    if (!valid_(t)) {
      ++result_.invalid;
      return known_[t] = TestOutcome::kUnresolved;
    }
    if (!go_on_()) {
      cut_ = true;
      return TestOutcome::kUnresolved;
    }
    ++result_.tests;
    const TestOutcome outcome = test_(t);
    if (outcome == TestOutcome::kUnresolved) ++result_.unresolved;
    return known_[t] = outcome;
  }

  // The part k of n of the difference, as what it adds to each switch. Grouped: cut at the switch boundary nearest to the even cut.
  Applied part(uint64_t k, uint64_t n) const {
    const uint64_t begin = cut(k, n), end = cut(k + 1, n);
    Applied out(pass_.size());
    uint64_t at = 0;
    for (size_t i = 0; i < pass_.size(); ++i) {
      const uint64_t size_here = fail_[i] - pass_[i];
      const uint64_t low = std::max(at, begin), high = std::min(at + size_here, end);
      if (low < high) out[i] = high - low;
      at += size_here;
    }
    return out;
  }

  uint64_t cut(uint64_t k, uint64_t n) const {
    const uint64_t total = size();
    const uint64_t even = total / n * k + (total % n * k + n - 1) / n;  // rounded up
    if (!grouped_ || k == 0 || k == n) return k == n ? total : even;
    // Boundary number b lies after the b-th group; part k must leave a group for each part on both sides.
    std::vector<uint64_t> boundaries;
    uint64_t at = 0;
    for (size_t i = 0; i < pass_.size(); ++i) {
      if (fail_[i] == pass_[i]) continue;
      at += fail_[i] - pass_[i];
      boundaries.push_back(at);
    }
    const size_t lowest = k - 1, highest = boundaries.size() - 1 - (n - k);
    size_t best = lowest;
    for (size_t b = lowest; b <= highest; ++b) {
      if (distance(boundaries[b], even) < distance(boundaries[best], even)) best = b;
    }
    return boundaries[best];
  }
  static uint64_t distance(uint64_t a, uint64_t b) { return a > b ? a - b : b - a; }

  static Applied plus(Applied a, const Applied& b) {
    for (size_t i = 0; i < a.size(); ++i) a[i] += b[i];
    return a;
  }
  static Applied minus(Applied a, const Applied& b) {
    for (size_t i = 0; i < a.size(); ++i) a[i] -= b[i];
    return a;
  }

  // Fig. 7. A test decides as soon as its outcome satisfies a rule: with two parts, adding the one is taking the other away.
  void dd() {
    uint64_t n = 2;
    while (!cut_) {
      note_one_switch();
      const uint64_t most = grouped_ ? groups() : size();
      if (most < 2) return;
      n = std::min(n, most);
      if (step(n)) continue;
      if (n >= most) return;
      n = std::min(2 * n, most);
    }
  }

  bool step(uint64_t& n) {
    for (uint64_t k = 0; k < n; ++k) {
      const Applied p = part(k, n);
      const TestOutcome outcome = test(plus(pass_, p));
      if (outcome == TestOutcome::kFail) {  // rule 1
        fail_ = plus(pass_, p);
        n = 2;
        return true;
      }
      if (outcome == TestOutcome::kPass && n == 2) {  // rule 2 for the other part
        pass_ = plus(pass_, p);
        return true;
      }
      if (cut_) return false;
    }
    for (uint64_t k = 0; k < n; ++k) {  // rule 2
      const Applied p = part(k, n);
      if (test(minus(fail_, p)) == TestOutcome::kPass) {
        pass_ = minus(fail_, p);
        n = 2;
        return true;
      }
      if (cut_) return false;
    }
    for (uint64_t k = 0; k < n; ++k) {
      const Applied p = part(k, n);
      if (test(plus(pass_, p)) == TestOutcome::kPass) {  // rule 3
        pass_ = plus(pass_, p);
        n = std::max<uint64_t>(n - 1, 2);
        return true;
      }
    }
    for (uint64_t k = 0; k < n; ++k) {
      const Applied p = part(k, n);
      if (test(minus(fail_, p)) == TestOutcome::kFail) {  // rule 4
        fail_ = minus(fail_, p);
        n = std::max<uint64_t>(n - 1, 2);
        return true;
      }
    }
    return false;
  }

  void note_one_switch() {
    if (result_.tests_to_one_switch == 0 && groups() <= 1) result_.tests_to_one_switch = std::max<size_t>(result_.tests, 1);
  }

  Times origin_, target_;
  const std::function<TestOutcome(const Times&)>& test_;
  const std::function<bool()>& go_on_;
  const std::function<bool(const Times&)>& valid_;
  Applied pass_, fail_;  // pass_ <= fail_ in every switch
  bool grouped_ = true;
  bool cut_ = false;
  std::map<Times, TestOutcome> known_;
  DeltaResult result_;
};

}  // namespace

bool valid_times(const Times& times) { return std::is_sorted(times.begin(), times.end()); }

DeltaResult delta_debug(Times passing, Times failing, const std::function<TestOutcome(const Times&)>& test,
                        const std::function<bool()>& go_on, const std::function<bool(const Times&)>& valid) {
  return DeltaDebugger(std::move(passing), std::move(failing), test, go_on, valid).go();
}

void pad(Times& a, Times& b, uint64_t after) {
  const size_t n = std::max(a.size(), b.size());
  a.resize(n, std::max(after, a.empty() ? 0 : a.back()));
  b.resize(n, std::max(after, b.empty() ? 0 : b.back()));
}

}  // namespace heddle::simplify
