#pragma once
// Searches an instrumented program over its racing accesses, which it learns on the way.
#include <deque>
#include <memory>
#include <set>

#include "search/search.h"
#include "trace/races.h"

namespace heddle::search {

// The point set of PointKind::kRacy is not known beforehand. The first run has no preemptions, every access is a point and the detector watches; what races there
// is the point set of the first epoch, and the run itself, without the points that do not matter, is that epoch's sequential run. Where that
// run is too long to be watched so to its end, a few walks at random show what races before the first epoch begins. Later
// runs are watched too: one that shows a new racing site begins a new epoch, in which the search starts again over more points. A search that
// draws samples of long runs goes on instead, and its samples have the new points, until there are so many more that what it knows is out of date. When
// nothing new has come for a while, watching stops.
class Epochs final : public Search {
 public:
  Epochs(const SearchOptions& options, const SearchRow& row);
  std::optional<Plan> propose() override;
  void observe(size_t index, const Trace& trace) override;
  std::string knowledge() const override { return search_ ? search_->knowledge() : std::string(); }

  const std::vector<SiteId>& sites() const { return sites_; }
  size_t epochs() const { return epoch_; }

 private:
  static constexpr uint64_t kMostScouted = 200'000;  // events of the first run
  static constexpr uint64_t kMostWalks = 4;          // after a first run that was cut off
  static constexpr size_t kOften = 256;              // executions in a run that make a site hot
  static constexpr size_t kMostWithoutNews = 100;    // runs without a new site after which nobody watches
  void begin();
  bool goes_on() const;
  Plan walk();
  bool learn(const Trace& trace);
  void note_hot(const Trace& trace);
  std::vector<SiteId> with_disabled_hooks() const;

  SearchOptions options_;
  const SearchRow& row_;
  std::unique_ptr<Search> search_;
  RaceLog races_;
  std::vector<SiteId> sites_;
  size_t begun_with_ = 0;       // sites of this epoch's beginning
  std::set<SiteId> hot_;        // hooks that runs have called often
  std::optional<Trace> scout_;  // the first run, where it came to its end
  std::deque<size_t> pending_;  // the epoch of each proposal not yet observed
  size_t epoch_ = 0;
  size_t observed_ = 0;  // of this epoch
  size_t without_news_ = 0;
  uint64_t walks_ = 0;
  bool scouted_ = false;
  bool long_ = false;  // the first run was cut off
};

// The racing sites that a watched run over all accesses shows; sorted.
std::vector<SiteId> scouted_sites(const Trace& trace);

}  // namespace heddle::search
