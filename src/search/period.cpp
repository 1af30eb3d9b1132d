#include <deque>
#include <memory>
#include <unordered_set>

#include "search/make.h"
#include "search/reversal.h"
#include "trace/enabled.h"
#include "trace/happens_before.h"

namespace heddle::search {

namespace {

// Period-wise systematic search, after Wen, Chen, Wang & Jin, ICSE 2022: an execution is a sequence of periods in which one thread runs between two
// key points, the operations that conflict with another thread's; all schedules with one more period come after those with
// fewer. Every switch counts, preemptive or not, and there are none but at key points.
class Period final : public Search {
 public:
  explicit Period(const SearchOptions& options) : options_(options) { waiting_.push_back({{}}); }

  std::optional<Plan> propose() override {
    while (level_ < waiting_.size()) {
      if (!waiting_[level_].empty()) {
        Item item = std::move(waiting_[level_].front());
        waiting_[level_].pop_front();
        Plan plan =
            item.trace ? plan_for({*item.trace, item.position, {item.slice}, {}}, options_) : plan_with(options_, PolicyKind::kStay, 0);
        in_flight_.push_back(std::move(item));
        return plan;
      }
      if (!in_flight_.empty()) return std::nullopt;
      ++level_;
    }
    return std::nullopt;
  }

  void observe(size_t, const Trace& trace) override {
    const Item item = std::move(in_flight_.front());
    in_flight_.pop_front();
    const std::vector<uint64_t> states = order_hashes(trace);
    std::vector<bool> key(trace.events().size());
    for (const EventPair& p : reversible_conflicts(trace)) key[p.first] = key[p.second] = true;
    const auto shared = std::make_shared<const Trace>(trace);
    EnabledWalk walk(trace);
    for (; !walk.done(); walk.advance()) {
      const size_t p = walk.position();
      if (p < item.free || !key[p]) continue;
      for (const PendingOperation& s : walk.pending_operations()) {
        if (s.thread == trace.events()[p].thread || (s.ready != Ready::kYes && s.ready != Ready::kUnknown)) continue;
        const ThreadId id = trace.threads()[s.thread].id;
        if (!started_.insert(mix(p == 0 ? 0 : states[p - 1], id)).second) continue;
        if (waiting_.size() < level_ + 2) waiting_.resize(level_ + 2);
        if (waiting_[level_ + 1].size() < kMostWaiting) waiting_[level_ + 1].push_back({shared, p, {id, s.number}, p + 1});
      }
    }
  }

 private:
  static constexpr size_t kMostWaiting = 100'000;
  struct Item {
    std::shared_ptr<const Trace> trace;
    size_t position = 0;
    Slice slice{};
    size_t free = 0;
  };
  SearchOptions options_;
  std::vector<std::deque<Item>> waiting_;  // by number of chosen periods
  std::deque<Item> in_flight_;
  std::unordered_set<uint64_t> started_;
  size_t level_ = 0;
};

constexpr SearchRow kPeriodSearch{
    130, "period", "all sequences of periods between conflicting operations, fewest first", "Wen et al. 2022",
    [](const SearchOptions& options) -> std::unique_ptr<Search> { return std::make_unique<Period>(options); }};
HEDDLE_ROW(searches, kPeriodSearch);

}  // namespace

}  // namespace heddle::search
