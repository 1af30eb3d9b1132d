#include "search/around.h"

#include <algorithm>

#include "search/make.h"

namespace heddle::search {

namespace {

class Around final : public Search {
 public:
  Around(const SearchOptions& options, Neighbourhood near) : options_(options), near_(std::move(near)) {}

  std::optional<Plan> propose() override {
    const uint64_t seed = mix(mix(options_.seed, 0xA20D), next_);
    Plan plan = plan_with(options_, PolicyKind::kRandom, next_);
    plan.strictness = Strictness::kRelaxed;
    ++next_;
    constexpr uint32_t kStay[] = {0, 0x8000, 0xE000, 0xFC00};
    plan.tail.stay = kStay[mix(seed, 1) % std::size(kStay)];
    if (mix(seed, 2) % kAll == 0) return plan;
    if (mix(seed, 3) % 2 == 0) plan.tail.kind = PolicyKind::kStay;
    plan.choices = near_.choices;
    for (size_t i = 0; i < near_.slices.size(); ++i) {
      const uint64_t draw = mix(seed, 16 + i);
      Slice slice = near_.slices[i];
      if (near_.chosen[i]) {
        if (draw % kLeaveOut == 0) continue;
        const auto by = static_cast<int64_t>(distance(draw >> 8));
        const bool back = (draw >> 4 & 1) != 0;
        slice.until =
            back ? slice.until - std::min<uint64_t>(slice.until, static_cast<uint64_t>(by)) : slice.until + static_cast<uint64_t>(by);
      }
      plan.slices.push_back(slice);
    }
    return plan;
  }
  void observe(size_t, const Trace&) override {}

 private:
  static constexpr uint64_t kAll = 3;       // one of so many ignores the schedule
  static constexpr uint64_t kLeaveOut = 8;  // one of so many switches is left out

  // 0 half of the time, then 1 half of what is left, and so on: geometric.
  static uint64_t distance(uint64_t draw) {
    uint64_t d = 0;
    while (d < 32 && (draw >> d & 1) != 0) ++d;
    return d;
  }

  SearchOptions options_;
  Neighbourhood near_;
  uint64_t next_ = 0;
};

}  // namespace

Neighbourhood neighbourhood_of(const Trace& failing) {
  Neighbourhood near;
  const Plan plan = plan_of(failing);
  near.slices = plan.slices;
  near.choices = plan.choices;
  for (const TraceSlice& s : failing.slices()) near.chosen.push_back(s.preempted_paper);
  near.chosen.resize(near.slices.size(), false);
  return near;
}

std::unique_ptr<Search> around(const SearchOptions& options, Neighbourhood neighbourhood) {
  return std::make_unique<Around>(options, std::move(neighbourhood));
}

}  // namespace heddle::search
