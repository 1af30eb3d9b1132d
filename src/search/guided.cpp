#include "search/make.h"
#include "search/reversal.h"

namespace heddle {

namespace {

// One preemption (then two, ...) at racing or contended operations, systematically and most promising first: see Reversals.
class Guided final : public Search {
 public:
  explicit Guided(const SearchOptions& options) : options_(options), reversals_(options.lore) {}

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

}  // namespace

std::unique_ptr<Search> make_guided(const SearchOptions& options) { return std::make_unique<Guided>(options); }

}  // namespace heddle
