#include "search/make.h"
#include "search/reversal.h"

namespace heddle::search {

namespace {

// One preemption (then two, ...) at racing or contended operations, systematically and most promising first: see Reversals.
class Guided final : public Search {
 public:
  explicit Guided(const SearchOptions& options) : options_(options), reversals_(options.history) {}

  std::optional<Plan> propose() override {
    if (!begun_) {
      begun_ = true;
      return plan_with(options_, PolicyKind::kStay, 0);
    }
    const std::optional<Reversal> reversal = reversals_.take();
    if (!reversal) return std::nullopt;
    return plan_for(*reversal, options_);
  }
  void observe(size_t, const Trace& trace) override { reversals_.add(trace); }

 private:
  SearchOptions options_;
  Reversals reversals_;
  bool begun_ = false;
};

constexpr SearchRow kGuidedSearch{
    90, "guided", "reverses racing and contended pairs one by one, most promising first", "Flanagan & Godefroid 2005, section 3",
    [](const SearchOptions& options) -> std::unique_ptr<Search> { return std::make_unique<Guided>(options); }};
HEDDLE_ROW(searches, kGuidedSearch);

}  // namespace

}  // namespace heddle::search
