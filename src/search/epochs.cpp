#include "search/epochs.h"

#include <algorithm>
#include <memory>

#include "search/make.h"
#include "trace/project.h"

namespace heddle {

namespace {

bool is_sequential(const Plan& plan) { return plan.tail.kind == PolicyKind::kStay && plan.slices.empty() && plan.choices.empty(); }

}  // namespace

std::vector<SiteId> scouted_sites(const Trace& trace) {
  RaceLog races;
  races.add(trace);
  std::vector<SiteId> sites = races.sites();
  const std::vector<SiteId> more = racing_sites(trace);
  sites.insert(sites.end(), more.begin(), more.end());
  std::sort(sites.begin(), sites.end());
  sites.erase(std::unique(sites.begin(), sites.end()), sites.end());
  return sites;
}

Epochs::Epochs(const SearchOptions& options, const SearchRow& row) : options_(options), row_(row) {
  if (!options_.lore) options_.lore = std::make_shared<Lore>();
  sites_ = options_.lore->sites;
}

std::optional<Plan> Epochs::propose() {
  if (!scouted_) {
    scouted_ = true;
    Plan plan = plan_with(options_, PolicyKind::kStay, 0);
    set_points(plan, PointKind::kAll, {});
    plan.detect = kDetectRaces;
    plan.limits.events = std::min(plan.limits.events, kMostScouted);
    pending_.push_back(0);
    return plan;
  }
  if (epoch_ == 0) return std::nullopt;
  std::optional<Plan> plan = search_->propose();
  if (!plan) return std::nullopt;
  if (observed_ == 0 && scout_ && is_sequential(*plan)) {
    // Its result is known already.
    search_->observe(observed_++, project(*scout_, sites_));
    plan = search_->propose();
    if (!plan) return std::nullopt;
  }
  plan->detect = quiet_ < kQuiet ? uint32_t{kDetectRaces} : 0;
  pending_.push_back(epoch_);
  return plan;
}

bool Epochs::learn(const Trace& trace) {
  races_.add(trace);
  std::vector<SiteId> known = epoch_ == 0 ? scouted_sites(trace) : races_.sites();
  const size_t before = sites_.size();
  known.insert(known.end(), sites_.begin(), sites_.end());
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  sites_ = std::move(known);
  options_.lore->sites = sites_;
  return sites_.size() != before;
}

void Epochs::begin() {
  ++epoch_;
  observed_ = 0;
  quiet_ = 0;
  SearchOptions own = options_;
  own.seed = epoch_ == 1 ? options_.seed : mix(options_.seed, 0xE90C + epoch_);
  set_points(own.base, PointKind::kRacy, sites_);
  search_ = row_.make(own);
}

void Epochs::observe(size_t, const Trace& trace) {
  const size_t epoch = pending_.front();
  pending_.pop_front();
  if (epoch == 0) {
    const OutcomeKind kind = trace.outcome().kind;
    if (kind != OutcomeKind::kLimit && kind != OutcomeKind::kCannotControl) scout_ = trace;
    learn(trace);
    begin();
    return;
  }
  if (epoch == epoch_) search_->observe(observed_++, trace);
  if (learn(trace)) {
    begin();
  } else {
    ++quiet_;
  }
}

}  // namespace heddle
