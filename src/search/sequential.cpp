#include "search/make.h"

namespace heddle::search {

namespace {

// One execution without preemptions: what the program does when its threads do not disturb each other (LEAN 2.2).
class Sequential final : public Search {
 public:
  explicit Sequential(const SearchOptions& options) : options_(options) {}

  std::optional<Plan> propose() override {
    if (proposed_) return std::nullopt;
    proposed_ = true;
    return plan_with(options_, PolicyKind::kStay, 0);
  }
  void observe(size_t, const Trace&) override {}

 private:
  SearchOptions options_;
  bool proposed_ = false;
};

constexpr SearchRow kSequentialSearch{
    20, "sequential", "the one schedule without preemptions", "Huang & Zhang 2012, section 2.2",
    [](const SearchOptions& options) -> std::unique_ptr<Search> { return std::make_unique<Sequential>(options); }};
HEDDLE_ROW(searches, kSequentialSearch);

}  // namespace

}  // namespace heddle::search
