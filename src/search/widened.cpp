#include "search/widened.h"

namespace heddle::search {

Widened::Widened(const SearchOptions& options, const SearchRow& row, size_t first, Learn learn)
    : options_(options), row_(row), first_(first), learn_(std::move(learn)), search_(row.make(options)) {}

std::optional<Plan> Widened::propose() {
  if (learn_ && proposed_ >= first_) {
    if (std::optional<Plan> base = learn_()) {
      options_.base = std::move(*base);
      search_ = row_.make(options_);
      observed_ = 0;
      pending_.assign(pending_.size(), false);
    }
    learn_ = nullptr;
  }
  std::optional<Plan> plan = search_->propose();
  if (!plan) return std::nullopt;
  ++proposed_;
  pending_.push_back(true);
  return plan;
}

void Widened::observe(size_t, const Trace& trace) {
  const bool present = pending_.front();
  pending_.pop_front();
  if (present) search_->observe(observed_++, trace);
}

void Widened::withdraw() {
  --proposed_;
  pending_.pop_back();
  search_->withdraw();
}

}  // namespace heddle::search
