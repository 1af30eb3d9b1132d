#pragma once
// After a search that found nothing: what was covered, what was not looked at, and what to try next.
#include <string>
#include <vector>

#include "search/find.h"
#include "trace/trace.h"

namespace heddle::cli {

// What the runs of a search say about the program, gathered on the way.
class SearchFacts {
 public:
  void add(size_t index, const Trace& trace);

  size_t threads() const { return threads_; }
  bool sleeps() const { return sleeps_; }  // or waits for a limited time
  bool starts_processes() const { return forks_; }
  // Why the test of a suite skipped itself, where every run did; else empty.
  const std::string& skipped() const { return skipped_; }
  size_t longest() const { return longest_; }      // events of a run
  const Trace& sample() const { return sample_; }  // a run with most threads

 private:
  size_t threads_ = 0;
  size_t longest_ = 0;
  bool sleeps_ = false;
  bool forks_ = false;
  bool began_ = false;
  std::string skipped_;
  Trace sample_;
};

struct Account {
  std::string verdict;               // one line
  std::vector<std::string> covered;  // sentences
  std::vector<std::string> unseen;
  std::vector<std::string> next;
};
struct AccountQuestion {
  const FindResult& result;
  const SearchFacts& facts;
  std::string strategy;
  bool other = false;       // a failure was found: of others the search knows none
  bool threadless = false;  // no thread was created in the process that was tested
  bool limited_time = false;
  bool timing = false;        // runs let sleeps and waits end before their time
  size_t after_releases = 0;  // the last so many runs had a point after each operation that lets others go on
  std::string own_locks;      // a sentence about modules that lock by themselves; empty: none is known
  size_t instructions = 0;    // of plain code that are scheduling points
  size_t watched = 0;         // runs under Valgrind that showed them
  // What is no point although it might have to be one: sentences.
  std::vector<std::string> not_points;
};
// That memory accesses of these modules are no scheduling points; `others` are.
std::string words_about_plain(const std::vector<std::string>& modules, const std::string& others = "");
Account account_of(const AccountQuestion& question);
void print_account(const Account& account);

}  // namespace heddle::cli
