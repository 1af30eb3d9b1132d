#pragma once
// Searches a plain program over its synchronisation calls first, and then over more points: learning them takes time, and most bugs do not
// need them.
#include <deque>
#include <functional>
#include <memory>

#include "search/search.h"

namespace heddle::search {

// What was learnt: the base of a search over other points, or nothing; and after how many more proposals to ask again, 0: never.
struct Wider {
  std::optional<Plan> base;
  size_t next = 0;
};

// The first proposals are those of the search as it is. Then `learn` is asked, with the last run that was observed: the search begins again over
// what is learnt, or goes on as if nobody had asked. It is asked again where the search has nothing left to propose. `revise` is shown the first run of each search that has begun so,
// and may give another base.
class Widened final : public Search {
 public:
  using Learn = std::function<Wider(const Trace& last)>;
  using Revise = std::function<std::optional<Plan>(const Trace& first)>;
  Widened(const SearchOptions& options, const SearchRow& row, size_t first, Learn learn, Revise revise = {});
  std::optional<Plan> propose() override;
  void observe(size_t index, const Trace& trace) override;
  void withdraw() override;
  std::string knowledge() const override { return search_->knowledge(); }

  const Plan& base() const { return options_.base; }

 private:
  void ask();
  void begin(Plan base);

  SearchOptions options_;
  const SearchRow& row_;
  size_t next_;  // proposals after which it is asked
  Learn learn_;
  Revise revise_;
  std::unique_ptr<Search> search_;
  std::deque<bool> pending_;  // of each proposal not yet observed: was it the present search's?
  std::optional<Trace> last_;
  uint64_t seed_;
  uint64_t begun_ = 0;  // searches after the first
  size_t proposed_ = 0;
  size_t observed_ = 0;  // by the present search
};

}  // namespace heddle::search
