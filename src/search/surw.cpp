#include <algorithm>

#include "search/make.h"
#include "search/profile.h"

namespace heddle::search {

namespace {

// Selectively uniform random walk (Zhao, Wolff, Mathur & Roychoudhury, ASPLOS 2025). The first run is the profile that gives
// each thread's number of selected events. The selection goes round: all contended objects together, then single ones drawn at random,
// because the interleavings of few events are covered soonest.
class Surw final : public Search {
 public:
  explicit Surw(const SearchOptions& options) : options_(options) {}

  std::optional<Plan> propose() override {
    if (next_ == 0) {
      ++next_;
      return plan_with(options_, PolicyKind::kStay, 0);
    }
    if (profile_.empty()) return std::nullopt;
    Plan plan = plan_with(options_, PolicyKind::kSurw, next_);
    const std::vector<ObjectId>& objects = profile_.objects();
    if (next_ % 2 == 0 && objects.size() > 1) {
      plan.marks = {objects[mix(mix(options_.seed, 0x50B), next_) % objects.size()]};
    } else {
      plan.marks.assign(objects.begin(), objects.begin() + static_cast<ptrdiff_t>(std::min<size_t>(objects.size(), kMostMarks)));
    }
    plan.weights = profile_.weights(plan.marks);
    ++next_;
    return plan;
  }

  // Runs that go where no run went teach the profile new objects; after a while only few still do.
  void observe(size_t index, const Trace& trace) override {
    if (index < 64 || index % 16 == 0) profile_.add(trace);
  }

 private:
  static constexpr size_t kMostMarks = 256;
  SearchOptions options_;
  Profile profile_;
  uint64_t next_ = 0;
};

constexpr SearchRow kSurwSearch{70, "surw", "all interleavings of the contended operations equally likely", "Zhao et al. 2025",
                                [](const SearchOptions& options) -> std::unique_ptr<Search> { return std::make_unique<Surw>(options); }};
HEDDLE_ROW(searches, kSurwSearch);

}  // namespace

}  // namespace heddle::search
