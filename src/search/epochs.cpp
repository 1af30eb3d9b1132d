#include "search/epochs.h"

#include <algorithm>
#include <map>
#include <memory>

#include "search/make.h"
#include "trace/project.h"
#include "wire/disabled_hooks.h"

namespace heddle::search {

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
  if (!options_.history) options_.history = std::make_shared<SearchHistory>();
  sites_ = options_.history->sites;
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
  if (epoch_ == 0) {
    if (!long_ || !pending_.empty()) return std::nullopt;
    pending_.push_back(0);
    return walk();
  }
  std::optional<Plan> plan = search_->propose();
  if (!plan) return std::nullopt;
  if (observed_ == 0 && scout_ && is_sequential(*plan)) {
    // Its result is known already.
    search_->observe(observed_++, project(*scout_, sites_));
    plan = search_->propose();
    if (!plan) return std::nullopt;
  }
  // How far a slice goes is counted in the points of the run that it was taken from.
  if (sites_.size() != begun_with_ && plan->slices.empty()) set_points(*plan, PointKind::kRacy, sites_);
  plan->detect = without_news_ < kMostWithoutNews ? kDetectRaces | kListHot : 0u;
  if (plan->detect == 0 && !hot_.empty() && (plan->slices.empty() || sites_.size() == begun_with_))
    set_points(*plan, PointKind::kRacy, with_disabled_hooks());
  pending_.push_back(epoch_);
  return plan;
}

// A run too long to be watched whole with every access a point: a walk over what is known shows more, and may fail, too.
Plan Epochs::walk() {
  Plan plan = plan_with(options_, PolicyKind::kRandom, walks_++);
  plan.tail.stay = walks_ % 2 == 0 ? 0 : 0x8000;
  set_points(plan, PointKind::kRacy, sites_);
  plan.detect = kDetectRaces | kListHot;
  return plan;
}

// While nobody watches, hooks that are called often for nothing are left out.
std::vector<SiteId> Epochs::with_disabled_hooks() const {
  std::vector<SiteId> all = sites_;
  for (SiteId site : hot_) {
    if (!std::binary_search(sites_.begin(), sites_.end(), site)) all.push_back(disabled_hook(site));
  }
  return all;
}

// In a run over all accesses nothing is listed: the events tell.
void Epochs::note_hot(const Trace& trace) {
  std::map<SiteId, size_t> executed;
  for (const Event& e : trace.events()) {
    if (is_memory(e.op) && ++executed[e.site] == kOften) hot_.insert(e.site);
  }
}

bool Epochs::learn(const Trace& trace) {
  hot_.insert(trace.data().hooks.listed.begin(), trace.data().hooks.listed.end());
  races_.add(trace);
  std::vector<SiteId> known;
  if (epoch_ == 0) {
    known = scouted_sites(trace);
    note_hot(trace);
    const std::vector<SiteId> points = races_.sites(hot_);
    std::erase_if(known, [&](SiteId site) { return hot_.count(site) != 0 && !std::binary_search(points.begin(), points.end(), site); });
  } else {
    known = races_.sites(hot_);
  }
  const size_t before = sites_.size();
  known.insert(known.end(), sites_.begin(), sites_.end());
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  sites_ = std::move(known);
  options_.history->sites = sites_;
  return sites_.size() != before;
}

void Epochs::begin() {
  ++epoch_;
  observed_ = 0;
  without_news_ = 0;
  begun_with_ = sites_.size();
  SearchOptions own = options_;
  own.seed = epoch_ == 1 ? options_.seed : mix(options_.seed, 0xE90C + epoch_);
  own.samples_first = long_;
  set_points(own.base, PointKind::kRacy, sites_);
  search_ = row_.make(own);
}

void Epochs::observe(size_t, const Trace& trace) {
  const size_t epoch = pending_.front();
  pending_.pop_front();
  if (epoch == 0) {
    const OutcomeKind kind = trace.outcome().kind;
    if (kind != OutcomeKind::kLimit && kind != OutcomeKind::kCannotControl && walks_ == 0) scout_ = trace;
    if (walks_ == 0) long_ = kind == OutcomeKind::kLimit && trace.data().threads.size() > 1;
    const bool news = learn(trace);
    if (!long_ || walks_ == kMostWalks || (walks_ > 1 && !news)) begin();
    return;
  }
  if (epoch == epoch_) search_->observe(observed_++, trace);
  if (!learn(trace)) {
    ++without_news_;
  } else if (goes_on()) {
    without_news_ = 0;
  } else {
    begin();
  }
}

bool Epochs::goes_on() const { return search_->draws_samples() && sites_.size() <= begun_with_ + begun_with_ / 4; }

}  // namespace heddle::search
