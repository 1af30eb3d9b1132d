#include "search/make.h"

namespace heddle {

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

}  // namespace

std::unique_ptr<Search> make_pos(const SearchOptions& options) { return std::make_unique<Pos>(options); }

}  // namespace heddle
