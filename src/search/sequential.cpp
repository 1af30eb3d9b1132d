#include "search/make.h"

namespace heddle {

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

}  // namespace

std::unique_ptr<Search> make_sequential(const SearchOptions& options) { return std::make_unique<Sequential>(options); }

}  // namespace heddle
