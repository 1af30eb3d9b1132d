#include "search/fairness.h"

#include <algorithm>

#include "wire/ids.h"

namespace heddle::search {

Fairness::Fairness(size_t threads) : threads_(threads) {}

bool Fairness::behind(uint32_t thread, const std::vector<uint32_t>& enabled) const {
  const std::set<uint32_t>& first = threads_[thread].behind;
  return !first.empty() && std::any_of(enabled.begin(), enabled.end(), [&](uint32_t t) { return first.contains(t); });
}

void Fairness::step(const Event& e, const std::vector<uint32_t>& before, const std::vector<uint32_t>& after) {
  const uint32_t thread = e.thread;
  const bool yielded = (has(e.op, kYields) || (e.flags & kSpin) != 0) && ++threads_[thread].yields[e.site] > kPatience;
  if (!any_ && !yielded) return;
  any_ = true;
  for (State& s : threads_) s.behind.erase(thread);
  for (uint32_t u = 0; u < threads_.size(); ++u) {
    State& s = threads_[u];
    if (!s.begun) continue;
    std::erase_if(s.continuously, [&](uint32_t t) { return std::find(after.begin(), after.end(), t) == after.end(); });
    s.scheduled.insert(thread);
  }
  State& self = threads_[thread];
  if (self.begun) {
    for (uint32_t t : before) {
      if (std::find(after.begin(), after.end(), t) == after.end()) self.disabled.insert(t);
    }
  }
  if (!yielded) return;
  if (self.begun) {
    auto passed_over = [&](const std::set<uint32_t>& from) {
      for (uint32_t t : from) {
        if (t != thread && !self.scheduled.contains(t)) self.behind.insert(t);
      }
    };
    passed_over(self.continuously);
    passed_over(self.disabled);
  }
  self.begun = true;
  self.continuously = {after.begin(), after.end()};
  self.disabled.clear();
  self.scheduled.clear();
}

uint64_t Fairness::hash() const {
  if (!any_) return 0;
  uint64_t hash = 1;
  auto add = [&](const std::set<uint32_t>& set) {
    hash = mix(hash, set.size());
    for (uint32_t t : set) hash = mix(hash, t);
  };
  for (const State& s : threads_) {
    hash = mix(hash, s.begun ? 2 : 1);
    add(s.behind);
    add(s.continuously);
    add(s.disabled);
    add(s.scheduled);
  }
  return hash;
}

}  // namespace heddle::search
