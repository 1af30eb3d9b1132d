#pragma once
// All schedules with at most so many preemptions that obey something the program does not enforce.
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "search/search.h"
#include "trace/imposed.h"

namespace heddle::search {

// Iterative context bounding (Musuvathi & Qadeer, PLDI 2007, section 3.1) as in search/bounded.h, in which a thread that the imposed section or order
// keeps waiting is not enabled. A run whose tail does not obey is followed up to there and continued with somebody who may go on.
class Imposing final : public Search {
 public:
  // `seen`: a run with its operations at the places that `imposed` speaks of; the same events otherwise.
  Imposing(const SearchOptions& options, Imposed imposed, uint32_t bound, std::function<Trace(const Trace&)> seen);
  std::optional<Plan> propose() override;
  void observe(size_t index, const Trace& trace) override;

  struct Account {
    uint64_t schedules = 0;     // that obey
    uint64_t points = 0;        // of them
    uint64_t kept_waiting = 0;  // points at which somebody who could have gone on had to wait
    uint64_t stuck = 0;         // nobody might go on: it would be a deadlock
    bool exhausted = false;
  };
  const Account& account() const { return account_; }

 private:
  struct Item {
    std::shared_ptr<const Trace> trace;
    size_t position = 0;
    Slice slice{};
    size_t free = 0;
  };
  Plan plan_for(const Item& item) const;
  void expand(const Item& item, const std::shared_ptr<const Trace>& trace);

  SearchOptions options_;
  Imposed imposed_;
  uint32_t bound_;
  std::function<Trace(const Trace&)> seen_;
  uint32_t level_ = 0;
  std::vector<std::vector<Item>> waiting_;
  std::deque<Item> in_flight_;
  Account account_;
};

}  // namespace heddle::search
