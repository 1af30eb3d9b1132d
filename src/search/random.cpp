#include "search/make.h"

namespace heddle::search {

namespace {

// A controlled random scheduler (Thomson, Donaldson & Betts 2016, section 4). The uniform walk is bad at bugs that need a thread to run
// undisturbed for long, a biased one at bugs that need many switches: the bias goes through a fixed cycle.
constexpr uint32_t kStay[] = {0, 0x8000, 0xE000, 0x8000, 0, 0xFC00, 0x8000, 0xE000};

class Random final : public Search {
 public:
  Random(const SearchOptions& options, bool uniform) : options_(options), uniform_(uniform) {}

  std::optional<Plan> propose() override {
    Plan plan = plan_with(options_, PolicyKind::kRandom, next_);
    plan.tail.stay = uniform_ ? 0 : kStay[next_ % std::size(kStay)];
    ++next_;
    return plan;
  }
  void observe(size_t, const Trace&) override {}

 private:
  SearchOptions options_;
  bool uniform_;  // every enabled thread is as likely at every point
  uint64_t next_ = 0;
};

constexpr SearchRow kRandomSearch{
    30, "random", "random walks that tend to stay with a thread", "Thomson, Donaldson & Betts 2016, section 4",
    [](const SearchOptions& options) -> std::unique_ptr<Search> { return std::make_unique<Random>(options, false); }};
HEDDLE_ROW(searches, kRandomSearch);

constexpr SearchRow kWalkSearch{
    40, "walk", "the uniform random walk: every thread equally likely at every point", "Jalbert & Sen 2010, section 5",
    [](const SearchOptions& options) -> std::unique_ptr<Search> { return std::make_unique<Random>(options, true); }};
HEDDLE_ROW(searches, kWalkSearch);

}  // namespace

}  // namespace heddle::search
