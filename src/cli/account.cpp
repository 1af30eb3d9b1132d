#include "cli/account.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "cli/print.h"
#include "trace/ctest_rule.h"
#include "trace/sight.h"

namespace heddle::cli {

namespace {

constexpr size_t kManyRuns = 50;      // with one schedule only: the search does not see where threads meet
constexpr size_t kFirstRuns = 8;      // all looked at
constexpr size_t kMostNames = 3;      // modules that are named
constexpr double kMuchUnseen = 0.05;  // probability of something new at which more runs are worth it

std::string plural(size_t count, const char* word) { return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s"); }

// Files by their last name.
std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kMostNames); ++i) text += (i == 0 ? "" : ", ") + names[i].substr(names[i].rfind('/') + 1);
  if (names.size() > kMostNames) text += fmt::format(" and {} more", names.size() - kMostNames);
  return text;
}

void tell_covered(const AccountQuestion& q, Account& a) {
  const FindResult& r = q.result;
  a.covered.push_back(
      fmt::format("{} of the operations of {}{}", plural(r.last.schedules, "different order"), plural(q.facts.threads(), "thread"),
                  r.last.last_new > 0 ? fmt::format("; no two operations met in a new way after run {}", r.last.last_new) : ""));
  if (r.exhausted) a.covered.push_back("nothing more for this strategy to try");
  if (!r.exhausted && r.executions > 1)
    a.covered.push_back(fmt::format("one more run would show a new order with a probability of about {:.2g} (Good-Turing)", r.unseen));
  if (q.after_releases > 0)
    a.covered.push_back(
        fmt::format("the last {} could also switch right after an operation that lets others go on", plural(q.after_releases, "run")));
  if (!r.knowledge.empty()) a.covered.push_back(r.knowledge.substr(0, r.knowledge.size() - (r.knowledge.back() == '.' ? 1 : 0)));
}

void tell_unseen(const AccountQuestion& q, Account& a) {
  const FindResult& r = q.result;
  const std::vector<std::string> plain = plain_modules(q.facts.sample());
  const bool points = q.facts.sample().data().points != PointKind::kSync;
  const std::string instructions =
      q.instructions == 0 ? "" : fmt::format(" and {} that race or are atomic", plural(q.instructions, "instruction"));
  if (!plain.empty()) a.unseen.push_back(words_about_plain(plain, instructions));
  if (q.watched > 0) a.unseen.push_back(fmt::format("accesses that {} under Valgrind did not show to race", plural(q.watched, "run")));
  a.unseen.insert(a.unseen.end(), q.not_points.begin(), q.not_points.end());
  if (!plain.empty() && !points) a.next.push_back("build with heddle-cc or heddle-c++, which show memory accesses");
  if (!q.own_locks.empty()) a.unseen.push_back(q.own_locks);
  if (r.cut > 0) a.unseen.push_back(fmt::format("the ends of {} that got long and were given up", plural(r.cut, "run")));
  if (r.cut > 0 && r.cut * 2 > r.executions)
    a.next.push_back("--max-events N, if the program's runs are long by nature; or less work for it");
  if (q.facts.sleeps() && !q.timing)
    a.unseen.emplace_back("orders in which a sleep or a time-out ends while another thread could still run");
  if (q.facts.sleeps() && !q.timing) a.next.emplace_back("the default search without --no-timing, or --early-timeouts 1, which allow that");
  if (q.facts.starts_processes() && !q.threadless) a.unseen.push_back("what the program's child processes do among themselves");
  if (!q.facts.sample().notes().empty())
    a.unseen.push_back(fmt::format("what is not controlled: {}", q.facts.sample().notes().front().text));
}

}  // namespace

void SearchFacts::add(size_t index, const Trace& trace) {
  const bool skipped = trace.outcome().kind == OutcomeKind::kExit && trace.outcome().message.starts_with(kSkippedTest);
  if (!skipped) skipped_.clear();
  if (skipped && !began_) skipped_ = trace.outcome().message;
  began_ = true;
  longest_ = std::max(longest_, trace.events().size());
  const bool more = trace.threads().size() > threads_;
  threads_ = std::max(threads_, trace.threads().size());
  if (more) sample_ = trace;
  if (!more && index >= kFirstRuns && !std::has_single_bit(index)) return;
  sleeps_ = sleeps_ || has_timed_operations(trace);
  forks_ = forks_ || std::ranges::any_of(trace.events(), [](const Event& e) { return e.op == Op::kFork; });
}

std::string words_about_plain(const std::vector<std::string>& modules, const std::string& others) {
  return fmt::format("memory accesses of {}: only calls{} are scheduling points there", listed(modules), others);
}

Account account_of(const AccountQuestion& q) {
  const FindResult& r = q.result;
  Account a;
  a.verdict = fmt::format("no {}failure in {} of the {} search, {:.2f} s", q.other ? "other " : "", plural(r.executions, "run"), q.strategy,
                          r.seconds);
  if (q.threadless) {
    if (r.inconclusive < r.executions) {
      a.covered.push_back("the one schedule of a program without threads");
    } else {
      a.unseen.push_back("what comes after the events to which the runs were limited: none had created a thread by then");
      a.next.push_back("--max-events N, where the program creates its threads late");
    }
    if (q.facts.starts_processes()) {
      a.unseen.push_back("threads of child processes: the process that was tested created none");
      a.next.push_back("give the program that creates the threads after -- instead of the one that starts it");
    }
    return a;
  }
  tell_covered(q, a);
  tell_unseen(q, a);
  const bool blind = r.last.schedules <= 1 && r.executions >= kManyRuns && q.facts.threads() > 1;
  if (blind) {
    a.unseen.emplace_back(
        "where threads meet: all runs had one order of operations. Locks made of atomic instructions (Rust, Go, a library's own) are no "
        "calls");
    if (a.next.empty()) a.next.emplace_back("build the program and such libraries with heddle-cc or heddle-c++");
  }
  if (!r.exhausted && !blind && r.unseen >= kMuchUnseen)
    a.next.emplace_back(q.limited_time ? "--resume with more --time: there is more to see"
                                       : "--resume with more --executions or --time: there is more to see");
  return a;
}

void print_account(const Account& account) {
  print_out("NOTHING   {}\n", account.verdict);
  const auto part = [](const char* word, const std::vector<std::string>& sentences) {
    const char* head = word;
    for (const std::string& sentence : sentences) {
      print_out("{:<10}{}.\n", head, sentence);
      head = "";
    }
  };
  part("COVERED", account.covered);
  part("NOT SEEN", account.unseen);
  part("NEXT", account.next);
}

}  // namespace heddle::cli
