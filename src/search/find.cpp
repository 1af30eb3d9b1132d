#include "search/find.h"

#include <algorithm>
#include <chrono>
#include <deque>

#include "search/run_length.h"
#include "trace/happens_before.h"
#include "trace/patience.h"

namespace heddle::search {

size_t window_at(uint64_t index) { return index < 32 ? 1 : std::min<size_t>(kMaxWindow, 1 + static_cast<size_t>(index - 32) / 4); }

size_t Coverage::add_behaviours(const Trace& trace) {
  size_t fresh = 0;
  for (uint64_t b : heddle::search::behaviours(trace)) fresh += behaviours_[b]++ == 0 ? 1 : 0;
  return fresh;
}

size_t Coverage::add(const Trace& trace) {
  uint32_t& count = orders_[order_hash(trace)];
  ++count;
  ++runs_;
  if (count == 1) ++singles_;
  if (count == 2) --singles_;
  return add_behaviours(trace);
}

namespace {

constexpr ptrdiff_t kMostAsked = 3;  // times that a failure is to be believed

class Finding {
 public:
  Finding(Search& search, Executor& executor, const FindOptions& options) : search_(search), executor_(executor), options_(options) {
    if (options.history) coverage_.know(options.history->behaviours);
  }

  FindResult go() {
    while (!over()) {
      // What the search does by itself ends with its time, too: it is then in no state to go on.
      try {
        fill();
        if (in_flight_.empty()) {
          result_.exhausted = proposed_ < options_.executions;
          break;
        }
        look();
      } catch (const OutOfTime&) {
        result_.stopped = true;
      }
    }
    executor_.drop();
    result_.cut = length_.cut();
    result_.seconds = seconds();
    result_.unseen = coverage_.unseen();
    result_.knowledge = search_.knowledge();
    result_.last = progress();
    if (options_.history) options_.history->behaviours = coverage_.seen();
    return std::move(result_);
  }

 private:
  bool out_of_time() const {
    return (options_.stop != nullptr && options_.stop->load()) || (options_.seconds > 0 && seconds() >= options_.seconds);
  }

  bool over() {
    if (!options_.keep_going && result_.found()) return true;
    if (out_of_time()) result_.stopped = true;
    if (result_.executions >= kEnoughUncontrolled && !result_.cannot_control.empty()) return true;
    return result_.stopped;
  }

  // Proposal i is made when the observations up to i - window(i) are in: the same proposals for any number of workers.
  void fill() {
    while (proposed_ < options_.executions) {
      const size_t window = options_.window != 0 ? options_.window : window_at(proposed_);
      if (in_flight_.size() >= window || in_flight_.size() * longest_ > kMostAhead) return;
      const Patience patience(out_of_time_);
      std::optional<Plan> plan = search_.propose();
      if (!plan) return;
      // Where every access is a point the limit is the proposer's: so many events are few.
      if (options_.grow && plan->points != PointKind::kAll) plan->limits.events = std::min(plan->limits.events, length_.limit());
      executor_.submit(*plan);
      in_flight_.push_back(std::move(*plan));
      ++proposed_;
    }
  }

  void look() {
    const Trace trace = executor_.next();
    const Plan plan = std::move(in_flight_.front());
    in_flight_.pop_front();
    if (trace.data().abandoned) {
      result_.stopped = true;
      if (result_.executions == 0) result_.cannot_control = trace.outcome().message;
      return;
    }
    const size_t index = result_.executions++;
    longest_ = std::max<uint64_t>(longest_, trace.events().size());
    // A run may also end at another limit, as that of its output.
    const bool other_limit = trace.outcome().kind == OutcomeKind::kLimit && trace.data().executed < plan.limits.events;
    if (plan.points != PointKind::kAll && !other_limit) length_.observe(trace);
    if (is_inconclusive(trace.outcome())) ++result_.inconclusive;
    note_control(index, trace.outcome());
    if (options_.fails(trace)) keep(index, plan, trace);
    if (options_.each) options_.each(index, plan, trace);
    {
      const Patience patience(out_of_time_);
      if (options_.measure && coverage_.add(trace) > 0) last_new_ = result_.executions;
      search_.observe(index, trace);
    }
    if (options_.progress) options_.progress(progress());
    if (options_.checkpoint && seconds() - saved_ >= kCheckpointSeconds) checkpoint();
  }

  void note_control(size_t index, const Outcome& outcome) {
    const bool controlled = outcome.kind != OutcomeKind::kCannotControl;
    if (index == 0 && !controlled) result_.cannot_control = outcome.message;
    if (controlled || outcome.message != result_.cannot_control) result_.cannot_control.clear();
  }

  void keep(size_t index, const Plan& plan, const Trace& trace) {
    const std::string name = signature(trace);
    for (FoundFailure& f : result_.failures) {
      if (f.signature != name || f.trace.outcome().kind != trace.outcome().kind) continue;
      ++f.count;
      return;
    }
    FoundFailure failure{name, index, 1, plan, trace};
    // Whatever disturbed one replay need not disturb the next.
    const auto refused = std::count(refused_.begin(), refused_.end(), name);
    if (refused < kMostAsked && (!options_.believe || options_.believe(failure))) {
      result_.failures.push_back(std::move(failure));
      return;
    }
    if (refused < kMostAsked) refused_.push_back(name);
    ++result_.refused;
  }

  // Copying what is known costs something: not after every run.
  void checkpoint() {
    saved_ = seconds();
    if (options_.history) options_.history->behaviours = coverage_.seen();
    options_.checkpoint(progress());
  }

  FindProgress progress() const {
    return {result_.executions, result_.inconclusive, result_.failures.size(), coverage_.behaviours(), last_new_, coverage_.schedules(),
            seconds()};
  }
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

  Search& search_;
  Executor& executor_;
  const FindOptions& options_;
  std::deque<Plan> in_flight_;
  uint64_t proposed_ = 0;
  size_t last_new_ = 0;
  uint64_t longest_ = 1;  // events of a run
  RunLength length_;
  std::vector<std::string> refused_;  // signatures of failures that were not believed
  const std::function<bool()> out_of_time_ = [this] { return out_of_time(); };
  double saved_ = 0;  // when the last checkpoint was, in seconds
  Coverage coverage_;
  FindResult result_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

FindResult find(Search& search, Executor& executor, const FindOptions& options) { return Finding(search, executor, options).go(); }

}  // namespace heddle::search
