#pragma once
// Searches a plain program over its synchronisation calls first, and then over more points: learning them takes time, and most bugs do not
// need them.
#include <deque>
#include <functional>
#include <memory>

#include "search/search.h"

namespace heddle::search {

// The first proposals are those of the search as it is. Then `learn` is asked, once: the base of a search over more points, or nothing, and
// the search goes on as if nobody had asked.
class Widened final : public Search {
 public:
  using Learn = std::function<std::optional<Plan>()>;
  Widened(const SearchOptions& options, const SearchRow& row, size_t first, Learn learn);
  std::optional<Plan> propose() override;
  void observe(size_t index, const Trace& trace) override;
  void withdraw() override;
  std::string knowledge() const override { return search_->knowledge(); }

  const Plan& base() const { return options_.base; }

 private:
  SearchOptions options_;
  const SearchRow& row_;
  size_t first_;
  Learn learn_;
  std::unique_ptr<Search> search_;
  std::deque<bool> pending_;  // of each proposal not yet observed: was it the present search's?
  size_t proposed_ = 0;
  size_t observed_ = 0;  // by the present search
};

}  // namespace heddle::search
