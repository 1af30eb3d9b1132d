// Which connections, requests and messages of a recorded run its failure needs: found by running it without some of them.
#include <algorithm>
#include <numeric>

#include "simplify/budget.h"
#include "simplify/minimise.h"
#include "simplify/requests.h"
#include "simplify/schedule.h"

namespace heddle::simplify {

namespace {

constexpr size_t kMostAtEnds = 64;

class RequestReducer {
 public:
  RequestReducer(const Requests& requests, const Trace& failing, const std::function<bool(const Trace&)>& same_bug, Executor& executor,
                 const RequestOptions& options)
      : requests_(requests),
        failing_(failing),
        same_bug_(same_bug),
        executor_(executor),
        options_(options),
        budget_(options.max_executions, options.seconds, options.stop),
        limits_(run_limits(failing, options.limits)) {
    result_.best = failing;
    result_.dropped = requests.nothing();
  }

  RequestResult go() {
    if (!try_ends() && !holds(requests_.nothing())) {
      result_.why_not = fmt_why();
      return finish();
    }
    try_relevant();
    minimise_connections();
    minimise_requests();
    minimise_messages();
    result_.finished = !budget_.spent();
    return finish();
  }

 private:
  RequestResult finish() {
    result_.executions = budget_.executions();
    result_.seconds = budget_.elapsed();
    return std::move(result_);
  }

  std::string fmt_why() const {
    return "what was recorded does not lead to the same failure when it is sent again: " + last_.outcome().message;
  }

  // Runs it; the projected schedule first, then as the threads come.
  bool holds(const Dropped& dropped) {
    Plan plan = requests_.without(dropped, limits_);
    for (int attempt = 0; attempt < 2 && !budget_.spent(); ++attempt) {
      budget_.count();
      executor_.submit(plan);
      last_ = executor_.next();
      if (same_bug_(last_)) {
        result_.best = last_;
        result_.dropped = dropped;
        result_.reduced = true;
        tell();
        return true;
      }
      plan.slices.clear();
      plan.choices.clear();
    }
    return false;
  }

  void tell() const {
    if (!options_.progress) return;
    const auto left = [](const std::vector<bool>& d) { return static_cast<size_t>(std::count(d.begin(), d.end(), false)); };
    options_.progress("reduce: " + std::to_string(left(result_.dropped.connections)) + " of " +
                      std::to_string(requests_.connections().size()) + " connections, " + std::to_string(requests_left()) + " of " +
                      std::to_string(requests_.requests().size()) + " requests, " + std::to_string(result_.best.events().size()) +
                      " events, " + std::to_string(budget_.executions()) + " runs");
  }

  size_t requests_left() const {
    size_t left = 0;
    for (size_t r = 0; r < requests_.requests().size(); ++r)
      left += !result_.dropped.requests[r] && !result_.dropped.connections[requests_.requests()[r].connection] ? 1 : 0;
    return left;
  }

  // Of a long recording: the first connections and the last ones, few and then more. To run all of it once takes as long as many of these.
  bool try_ends() {
    const size_t all = requests_.connections().size();
    for (size_t k = 1; 4 * k < all && k <= kMostAtEnds && !budget_.spent(); k *= 4) {
      Dropped dropped = requests_.nothing();
      const std::vector<size_t> last = suspicion();
      for (size_t i = k; i < all; ++i) {
        const size_t c = last[i];
        dropped.connections[c] = c >= k && requests_.connections()[c].accepted;
      }
      if (holds(dropped)) return true;
    }
    return false;
  }

  // What the dependences say: everything else goes at once, where they are right.
  void try_relevant() {
    if (options_.relevant_connections.empty() || budget_.spent()) return;
    Dropped dropped = requests_.nothing();
    for (size_t c = 0; c < dropped.connections.size(); ++c)
      dropped.connections[c] = result_.dropped.connections[c] || (requests_.connections()[c].accepted && !options_.relevant_connections[c]);
    for (size_t r = 0; r < dropped.requests.size() && r < options_.relevant_requests.size(); ++r)
      dropped.requests[r] = !options_.relevant_requests[r];
    holds(dropped);
  }

  // The later it was last heard of the more suspicious; first of all what the failing thread was busy with.
  std::vector<size_t> suspicion() const {
    std::vector<uint64_t> last(requests_.connections().size());
    for (size_t i = 0; i < failing_.events().size(); ++i) {
      const uint32_t c = requests_.connection_at(i);
      if (c != kNoIndex) last[c] = i + 1;
    }
    std::vector<size_t> order(last.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return last[a] > last[b]; });
    return order;
  }

  void minimise_connections() {
    Items items;
    for (size_t c : suspicion()) {
      if (requests_.connections()[c].accepted && !result_.dropped.connections[c]) items.push_back(c);
    }
    minimise_items(items, [](Dropped& dropped, size_t item) { dropped.connections[item] = true; });
  }

  void minimise_requests() {
    Items items;
    for (size_t r = requests_.requests().size(); r-- > 0;) {
      if (!result_.dropped.connections[requests_.requests()[r].connection] && !result_.dropped.requests[r]) items.push_back(r);
    }
    minimise_items(items, [](Dropped& dropped, size_t item) { dropped.requests[item] = true; });
  }

  // Those of requests that hold several. The later, the more suspicious.
  void minimise_messages() {
    std::vector<std::pair<size_t, size_t>> messages;  // and their requests
    Dropped none = result_.dropped;
    for (size_t r = requests_.requests().size(); r-- > 0;) {
      if (result_.dropped.requests[r] || result_.dropped.connections[requests_.requests()[r].connection]) continue;
      const size_t all = requests_.messages(r).size();
      if (all < 2) continue;
      none.messages[r].assign(all, false);
      for (size_t m = all; m-- > 0;) messages.emplace_back(r, m);
    }
    if (messages.empty()) return;
    result_.dropped = none;
    Items items(messages.size());
    std::iota(items.begin(), items.end(), size_t{0});
    minimise_items(items, [&](Dropped& dropped, size_t item) { dropped.messages[messages[item].first][messages[item].second] = true; });
  }

  // `items` in the order of suspicion.
  void minimise_items(const Items& items, const std::function<void(Dropped&, size_t)>& drop) {
    if (items.empty()) return;
    Items ranked(items.size());
    std::iota(ranked.begin(), ranked.end(), size_t{0});
    const MinimiseTest test{[&](const std::vector<Items>& drops) {
                              for (size_t d = 0; d < drops.size(); ++d) {
                                if (drops[d].empty()) return d;
                                Dropped dropped = result_.dropped;
                                for (size_t i : drops[d]) drop(dropped, items[i]);
                                if (budget_.spent()) break;
                                if (holds(dropped)) return d;
                              }
                              return kNoneRedundant;
                            },
                            [&] { return budget_.spent(); }};
    minimise({ranked, {}}, test);
  }

  const Requests& requests_;
  const Trace& failing_;
  const std::function<bool(const Trace&)>& same_bug_;
  Executor& executor_;
  const RequestOptions& options_;
  Budget budget_;
  Limits limits_;
  Trace last_;
  RequestResult result_;
};

}  // namespace

RequestResult reduce_requests(const Requests& requests, const Trace& failing, const std::function<bool(const Trace&)>& same_bug,
                              Executor& executor, const RequestOptions& options) {
  return RequestReducer(requests, failing, same_bug, executor, options).go();
}

}  // namespace heddle::simplify
