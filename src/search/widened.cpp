#include "search/widened.h"

#include "wire/ids.h"

namespace heddle::search {

Widened::Widened(const SearchOptions& options, const SearchRow& row, size_t first, Learn learn, Revise revise)
    : options_(options),
      row_(row),
      next_(first),
      learn_(std::move(learn)),
      revise_(std::move(revise)),
      search_(row.make(options)),
      seed_(options.seed) {}

void Widened::begin(Plan base) {
  options_.base = std::move(base);
  options_.seed = begun_ == 0 ? seed_ : mix(seed_, 0x71DE + begun_);
  ++begun_;
  search_ = row_.make(options_);
  observed_ = 0;
  pending_.assign(pending_.size(), false);
}

void Widened::ask() {
  Wider wider = learn_(*last_);
  if (wider.base) begin(std::move(*wider.base));
  next_ = proposed_ + wider.next;
  if (wider.next == 0) learn_ = nullptr;
}

std::optional<Plan> Widened::propose() {
  for (;;) {
    if (learn_ && proposed_ >= next_) {
      // What is under way may fail: it is waited for.
      if (!pending_.empty()) return std::nullopt;
      if (last_) ask();
    }
    std::optional<Plan> plan = search_->propose();
    if (plan) {
      ++proposed_;
      pending_.push_back(true);
      return plan;
    }
    if (!learn_ || !last_ || !pending_.empty()) return std::nullopt;
    next_ = proposed_;
  }
}

void Widened::observe(size_t, const Trace& trace) {
  const bool present = pending_.front();
  pending_.pop_front();
  last_ = trace;
  if (!present) return;
  if (observed_ == 0 && begun_ > 0 && revise_) {
    if (std::optional<Plan> base = revise_(trace)) {
      begin(std::move(*base));
      return;
    }
  }
  search_->observe(observed_++, trace);
}

void Widened::withdraw() {
  --proposed_;
  pending_.pop_back();
  search_->withdraw();
}

}  // namespace heddle::search
