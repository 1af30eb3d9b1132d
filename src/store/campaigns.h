#pragma once
// What the searches of a program have done so far, under .heddle/campaigns.sqlite: seeds and executions spent, and what they learnt.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "trace/search_history.h"

struct sqlite3;

namespace heddle::store {

// One call of find or debug.
struct SearchRecord {
  std::string strategy;
  uint64_t seed = 0;
  uint64_t segment = 0;  // how often it had been resumed before
  uint64_t executions = 0;
  double seconds = 0;
  bool exhausted = false;
};

struct CampaignTotals {
  uint64_t searches = 0;
  uint64_t executions = 0;
  double seconds = 0;
};

// A program is its build and its words: another build has other sites, and what was learnt of the old one means nothing.
class CampaignStore {
 public:
  // `root`/.heddle/campaigns.sqlite, created if need be. Throws Error where it cannot be read or written.
  CampaignStore(const std::string& root, const std::string& build_id, const std::vector<std::string>& command);
  ~CampaignStore();
  CampaignStore(const CampaignStore&) = delete;
  CampaignStore& operator=(const CampaignStore&) = delete;

  CampaignTotals totals() const;
  // How many searches of this strategy and seed there were: the segment of one that goes on from them.
  uint64_t segments(const std::string& strategy, uint64_t seed) const;
  SearchHistory history() const;

  // Both in one step: after an interrupt the store has the one state or the other. Called again, it replaces what this object saved
  // before.
  void save(const SearchRecord& record, const SearchHistory& history);

  // A failure that was seen again: by bug id, with its count over all searches.
  void count_bug(const std::string& bug, uint64_t times);
  std::vector<std::pair<std::string, uint64_t>> bugs() const;

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  std::string path_;
  std::unique_ptr<sqlite3, Close> database_;
  int64_t program_ = 0;
  int64_t search_ = 0;  // row of this object's record, once saved
};

}  // namespace heddle::store
