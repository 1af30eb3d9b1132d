#include "simplify/simplify.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <stdexcept>
#include <tuple>

#include "simplify/budget.h"
#include "trace/error.h"
#include "trace/sight.h"

namespace heddle::simplify {

namespace {

constexpr uint64_t kDefaultEvents = 1'000'000;
constexpr size_t kFewLeft = 4;  // preemptions
constexpr size_t kMostRestarts = 4;
constexpr size_t kFewSwitches = 2;                 // with so few another way of simplifying has nothing to add
constexpr size_t kLeastForAnotherWay = 150;        // runs
constexpr size_t kMostForAnotherWay = 20'000'000;  // events times switches of its start

class Driver {
 public:
  Driver(const Trace& failing, const std::function<bool(const Trace&)>& same_bug, Executor& executor, const SimplifyOptions& options)
      : same_bug_(same_bug),
        executor_(executor),
        options_(options),
        budget_(options.max_executions, options.seconds, options.stop),
        early_(early_timeouts(failing)) {
    result_.best = failing;
  }

  // Runs a pass to its end; true if it found something simpler.
  bool run(const PassRow& row) {
    if (budget_.spent()) result_.finished = false;
    if (!result_.finished) return false;
    const Counts before = result_.best.counts();
    // A proof may take as long as the simplification did before it.
    now_ = options_;
    now_.certificate_seconds = std::max(now_.certificate_seconds, now_.certificate_seconds > 0 ? budget_.elapsed() : 0);
    if (now_.certificate_executions > 0) now_.certificate_executions = std::max(now_.certificate_executions, 2 * budget_.executions());
    const std::unique_ptr<Pass> pass = row.make({result_.best, now_, rejected_});
    const double started = budget_.elapsed();
    last_success_ = budget_.executions();
    std::deque<Proposal> under_way;
    for (;;) {
      while (under_way.size() < pass->window() && !budget_.spent() && (cap_ == 0 || budget_.executions() < cap_)) {
        std::optional<Proposal> proposal = pass->propose();
        if (!proposal) break;
        executor_.submit(proposal->plan);
        budget_.count();
        under_way.push_back(std::move(*proposal));
      }
      if (under_way.empty()) break;
      Trace trace;
      try {
        trace = executor_.next();
      } catch (...) {
        // An interrupted run: the best so far is the answer.
        if (options_.stop == nullptr || !options_.stop->load()) throw;
        break;
      }
      observe(*pass, row, under_way.front(), trace);
      under_way.pop_front();
    }
    if (budget_.spent()) result_.finished = false;
    result_.rounds += pass->rounds();
    result_.cached += pass->cached();
    if (!pass->knowledge().empty()) {
      say(&row, pass->knowledge());
      // What a search for the proof cost up to its last success was the price of that success.
      result_.certificate_executions += budget_.executions() - last_success_;
      result_.certificate_seconds += budget_.elapsed() - started;
    }
    // A pass behind it may only find a simpler trace, with as few preemptions.
    if (result_.finished && pass->proved()) result_.minimal = "proved";
    if (result_.finished && !pass->assumed().empty()) result_.assumed = pass->assumed();
    return result_.best.counts() != before;
  }

  const Trace& best() const { return result_.best; }
  bool proved() const { return result_.minimal == "proved"; }

  // Another way from the same start: what it finds is taken if it is simpler, and told if it has fewer switches, which the order of
  // preference (preemptions first) passes over. Costs no more than what was spent before.
  bool another_way(const std::vector<const PassRow*>& rows, const Trace& start) {
    if (budget_.spent() || !result_.finished || result_.best.switches() <= kFewSwitches) return false;
    // Each proposal looks at the whole run, and there is one for each switch and more: of a long run that alone takes minutes.
    if (start.events().size() * start.switches() > kMostForAnotherWay) return false;
    const Trace best = result_.best;
    std::vector<Trace> accepted = std::move(result_.accepted);
    result_.accepted.clear();
    result_.best = start;
    const size_t before = budget_.executions();
    cap_ = before + std::max(kLeastForAnotherWay, before);
    // What is said about a run that is not taken is not said.
    const auto said = words_;
    const size_t certified = result_.certificate_executions;
    for (const PassRow* row : rows) run(*row);
    cap_ = 0;
    const Trace other = result_.best;
    const bool better = simpler(other.counts(), best.counts());
    words_ = said;
    if (better) {
      // That no schedule has fewer preemptions holds for this one too; the rest was said of another run.
      const bool still = proved() && other.preemptions() == best.preemptions();
      std::erase_if(words_, [&](const auto& words) { return !still || !words.first->restarts; });
      if (!still) result_.minimal = "local";
      accepted.insert(accepted.end(), result_.accepted.begin(), result_.accepted.end());
    } else {
      result_.best = best;
      // What it cost was spent on knowing that there is nothing better that way.
      result_.certificate_executions = certified + budget_.executions() - before;
      if (rows.size() == 1 && other.switches() < best.switches())
        say(rows.front(), fmt::format("fewest switches first gives {} switches with {} preemptions (--algorithm {})", other.switches(),
                                      other.preemptions(), rows.front()->name));
    }
    result_.accepted = std::move(accepted);
    return better;
  }

  SimplifyResult result() {
    result_.executions = budget_.executions() - result_.certificate_executions;
    result_.seconds = budget_.elapsed();
    for (const auto& [row, words] : words_) result_.certificate += (result_.certificate.empty() ? "" : "; ") + words;
    return std::move(result_);
  }

 private:
  // The last word of a pass that was made again counts.
  void say(const PassRow* who, const std::string& what) {
    for (auto& [row, words] : words_) {
      if (row != who) continue;
      words = what;
      return;
    }
    words_.emplace_back(who, what);
  }

  void observe(Pass& pass, const PassRow& row, const Proposal& proposal, const Trace& trace) {
    if (options_.seen) options_.seen(trace);
    OperationCount& count = operation(proposal.operation);
    ++count.tried;
    if (pass.observe(proposal, trace, early_timeouts(trace) <= early_ && same_bug_(trace))) {
      const Counts before = result_.best.counts();
      const Counts after = trace.counts();
      ++count.accepted;
      count.switches_removed += before.switches - std::min(before.switches, after.switches);
      count.preemptions_removed += before.preemptions - std::min(before.preemptions, after.preemptions);
      result_.best = trace;
      result_.accepted.push_back(trace);
      last_success_ = budget_.executions();
    }
    if (options_.progress) options_.progress({result_.best.counts(), budget_.executions(), row.name});
  }

  OperationCount& operation(const char* name) {
    for (OperationCount& o : result_.operations) {
      if (o.name == name) return o;
    }
    result_.operations.push_back({});
    result_.operations.back().name = name;
    return result_.operations.back();
  }

  const std::function<bool(const Trace&)>& same_bug_;
  Executor& executor_;
  const SimplifyOptions& options_;
  SimplifyOptions now_;  // with what the pass under way may spend
  Budget budget_;
  size_t cap_ = 0;      // executions at which the pass under way ends; 0: none
  const size_t early_;  // time-outs that fire early in the trace it began with: a simpler one may not need more of them
  SimplifyResult result_;
  std::vector<std::pair<const PassRow*, std::string>> words_;  // of the certificate, by who said it last
  size_t last_success_ = 0;                                    // executions by then
  std::unordered_set<uint64_t> rejected_;
};

std::string names_of_passes() {
  std::string names;
  for (const PassRow& row : passes()) names += std::string(names.empty() ? "" : ", ") + row.name;
  return names;
}

std::vector<const PassRow*> pipeline(const std::string& algorithm) {
  std::vector<const PassRow*> rows;
  if (algorithm == "default") {
    for (const PassRow& row : passes()) {
      if (row.in_default) rows.push_back(&row);
    }
    return rows;
  }
  for (size_t begin = 0; begin <= algorithm.size();) {
    const size_t end = std::min(algorithm.find('+', begin), algorithm.size());
    const std::string name = algorithm.substr(begin, end - begin);
    const PassRow* row = pass_named(name);
    if (row == nullptr) throw Error("no pass is called '" + name + "'; there are default, " + names_of_passes(), ExitCode::kUsage);
    rows.push_back(row);
    begin = end + 1;
  }
  return rows;
}

}  // namespace

SimplifyResult simplify(const Trace& failing, const std::function<bool(const Trace&)>& same_bug, Executor& executor,
                        const SimplifyOptions& options) {
  Driver driver(failing, same_bug, executor, options);
  const std::vector<const PassRow*> rows = pipeline(options.algorithm);
  if (options.algorithm != "default") {
    for (const PassRow* row : rows) driver.run(*row);
    return driver.result();
  }
  auto look_on_paper = [&] {
    for (const PassRow* row : rows) {
      if (row->on_paper) driver.run(*row);
    }
  };
  for (const PassRow* row : rows) {
    if (!driver.run(*row) || row->on_paper) continue;
    look_on_paper();
    const size_t left = driver.best().preemptions();
    if (row->then != nullptr && left > 1 && left <= kFewLeft && driver.run(*pass_named(row->then))) look_on_paper();
    if (!row->restarts) continue;
    // What its search finds goes through the passes before it, and its own search goes on from there while there is time.
    for (size_t turn = 0; turn < kMostRestarts; ++turn) {
      for (const PassRow* again : rows) {
        if (again == row) break;
        if (!again->on_paper && driver.run(*again)) look_on_paper();
      }
      if (driver.proved() || !driver.run(*row)) break;
      look_on_paper();
    }
  }
  // The published order of steps, and ours without its short cut, which may have led past something with fewer switches.
  for (const char* way : {"tinertia", "preemptions+merge+minimal"}) {
    if (!driver.another_way(pipeline(way), failing)) continue;
    look_on_paper();
    for (const PassRow* row : rows) {
      if (!row->on_paper && !(row->restarts && driver.proved()) && driver.run(*row)) look_on_paper();
    }
  }
  return driver.result();
}

bool simpler(const Counts& a, const Counts& b) {
  return std::tie(a.preemptions, a.switches, a.threads, a.events) < std::tie(b.preemptions, b.switches, b.threads, b.events);
}

Limits run_limits(const Trace& failing, const Limits& wanted) {
  Limits limits = wanted;
  if (limits.events != 0) return limits;
  const uint64_t length = failing.data().executed > failing.events().size() ? failing.data().executed : failing.events().size();
  limits.events = failing.outcome().kind == OutcomeKind::kLivelock ? std::max(kDefaultEvents, length) : 4 * length + 10'000;
  return limits;
}

}  // namespace heddle::simplify
