#include "search/make.h"

namespace heddle::search {

namespace {

// Partial order sampling: every run draws its own priorities (Yuan, Yang & Gu, CAV 2018). The policy does the work.
class Pos final : public Search {
 public:
  explicit Pos(const SearchOptions& options) : options_(options) {}
  std::optional<Plan> propose() override { return plan_with(options_, PolicyKind::kPos, next_++); }
  void observe(size_t, const Trace&) override {}

 private:
  SearchOptions options_;
  uint64_t next_ = 0;
};

constexpr SearchRow kPosSearch{60, "pos", "a random priority for each pending operation, drawn again when it races",
                               "Yuan, Yang & Gu 2018, algorithm 2",
                               [](const SearchOptions& options) -> std::unique_ptr<Search> { return std::make_unique<Pos>(options); }};
HEDDLE_ROW(searches, kPosSearch);

}  // namespace

}  // namespace heddle::search
