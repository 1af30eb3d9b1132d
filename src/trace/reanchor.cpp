#include "trace/reanchor.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "trace/similar_text.h"

namespace heddle::trace {

namespace {

constexpr double kLikeEnough = 0.55;
constexpr double kSameObject = 0.6;
constexpr size_t kMostPairs = 400'000;  // that are compared; of more, only what the anchors themselves name

bool is_lock(Family family) { return family == Family::kMutexes || family == Family::kRwlocks || family == Family::kSemaphores; }

// What an operation does to other threads, so that a mutex that became a reader-writer lock, or a variable that became atomic, is known again.
double op_likeness(Op a, Op b) {
  if (a == b) return 1;
  const Family x = row(a).family;
  const Family y = row(b).family;
  constexpr uint8_t kSense = kAcquires | kReleases | kReads | kWrites;
  const bool memory = is_memory(a) && is_memory(b);
  constexpr uint8_t kAccess = kReads | kWrites;
  if (memory) return (row(a).traits & row(b).traits & kAccess) != 0 ? 0.9 : 0;
  if ((row(a).traits & kSense) != (row(b).traits & kSense)) return 0;
  return x == y ? 0.9 : is_lock(x) && is_lock(y) ? 0.8 : 0;
}

// "Account::withdraw" and "withdraw" after a move into a class.
std::string last_name(const std::string& function) {
  const size_t at = function.rfind("::");
  return at == std::string::npos ? function : function.substr(at + 2);
}

double name_likeness(const std::string& a, const std::string& b, double unknown) {
  if (a.empty() || b.empty()) return a.empty() && b.empty() ? unknown : unknown / 2;
  if (a == b) return 1;
  return last_name(a) == last_name(b) ? 0.9 : 0;
}

// An object after a change of its name or its place: what it is called last counts.
double object_likeness(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return a.empty() == b.empty() ? 1 : 0.5;
  if (a == b) return 1;
  return 0.2 + 0.5 * similarity(a, b);
}

using Key = std::tuple<Op, std::string, std::string, std::string>;
Key key_of(const PlacedOperation& o) { return {o.op, o.object, o.place.function, o.place.text}; }

// Which of several equal statements of a function, by line.
std::vector<uint32_t> ranks(const std::vector<PlacedOperation>& operations) {
  std::map<Key, std::vector<uint32_t>> alike;
  for (uint32_t i = 0; i < operations.size(); ++i) alike[key_of(operations[i])].push_back(i);
  std::vector<uint32_t> rank(operations.size(), 0);
  for (auto& [key, members] : alike) {
    std::stable_sort(members.begin(), members.end(),
                     [&](uint32_t a, uint32_t b) { return operations[a].place.line < operations[b].place.line; });
    for (uint32_t i = 0; i < members.size(); ++i) rank[members[i]] = i;
  }
  return rank;
}

}  // namespace

double likeness(const PlacedOperation& a, const PlacedOperation& b) {
  const double op = op_likeness(a.op, b.op);
  if (op == 0) return 0;
  const SourcePlace& x = a.place;
  const SourcePlace& y = b.place;
  const bool nowhere = x.function.empty() && x.file.empty();
  if (nowhere || (y.function.empty() && y.file.empty())) {
    const bool thread = a.op == Op::kThreadStart || a.op == Op::kThreadExit;
    if (thread && a.op == b.op) return 1;
    // A call in last place leaves no place of its own: its object still has its name.
    return a.op == b.op && !a.object.empty() && a.object == b.object ? kSameObject : 0;
  }
  const double function = name_likeness(x.function, y.function, 0.5);
  const double object = object_likeness(a.object, b.object);
  if (x.text.empty() || y.text.empty()) return function == 0 ? 0 : op * (0.6 * function + 0.4 * object);
  const double text = similarity(x.text, y.text);
  const double around = (similarity(x.before, y.before) + similarity(x.after, y.after)) / 2;
  return op * (0.35 * text + 0.25 * function + 0.2 * object + 0.2 * around);
}

Reanchoring::Reanchoring(const Anchors& anchors) : anchors_(anchors) {
  std::set<uint32_t> wanted;
  auto want = [&](uint32_t operation) {
    if (operation < anchors.operations.size()) wanted.insert(operation);
  };
  for (const Anchor& a : anchors.ends) {
    for (const NumberedOperation& o : a.after) want(o.operation);
    for (const NumberedOperation& o : a.before) want(o.operation);
  }
  for (const AnchoredChoice& c : anchors.choices) want(c.at.operation);
  for (uint32_t site : anchors.sites) want(site);
  named_.assign(wanted.begin(), wanted.end());
  // Those beside them take their own places, which an anchor then does not take.
  std::set<std::string> functions;
  for (uint32_t o : wanted) functions.insert(anchors.operations[o].place.function);
  for (uint32_t o = 0; o < anchors.operations.size(); ++o) {
    if (functions.contains(anchors.operations[o].place.function)) wanted.insert(o);
  }
  wanted_.assign(wanted.begin(), wanted.end());
}

void Reanchoring::learn(const PlacedTrace& run) {
  for (const PlacedOperation& o : run.operations()) {
    const std::string key =
        fmt::format("{}\n{}\n{}\n{}\n{}", static_cast<unsigned>(o.op), o.object, o.place.function, o.place.file, o.place.line);
    if (!known_.insert(key).second) continue;
    new_.push_back(o);
    matched_ = false;
  }
}

void Reanchoring::match() const {
  matched_ = true;
  matches_.clear();
  const std::vector<uint32_t> old_rank = ranks(anchors_.operations);
  const std::vector<uint32_t> new_rank = ranks(new_);
  struct Pair {
    double score;
    uint32_t from, to;
  };
  std::vector<Pair> pairs;
  const auto& wanted = wanted_.size() * new_.size() > kMostPairs ? named_ : wanted_;
  for (uint32_t from : wanted) {
    for (uint32_t to = 0; to < new_.size(); ++to) {
      double score = likeness(anchors_.operations[from], new_[to]);
      if (score < kLikeEnough) continue;
      if (old_rank[from] == new_rank[to]) score += 0.01;
      if (anchors_.operations[from] == new_[to]) score += 0.02;
      pairs.push_back({score, from, to});
    }
  }
  std::stable_sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) { return a.score > b.score; });
  std::set<uint32_t> taken;
  for (const Pair& p : pairs) {
    if (matches_.contains(p.from) || !taken.insert(p.to).second) continue;
    const PlacedOperation& from = anchors_.operations[p.from];
    const PlacedOperation& to = new_[p.to];
    const bool exact = from.op == to.op && from.object == to.object && from.place.function == to.place.function &&
                       from.place.file == to.place.file && from.place.line == to.place.line && from.place.text == to.place.text;
    matches_.emplace(p.from, Match{p.to, exact});
  }
}

std::optional<Reanchoring::Match> Reanchoring::matched(uint32_t old_operation) const {
  if (!matched_) match();
  const auto at = matches_.find(old_operation);
  return at == matches_.end() ? std::nullopt : std::optional(at->second);
}

bool Reanchoring::replaced(uint32_t old_operation) const {
  const PlacedOperation& old = anchors_.operations[old_operation];
  if (!is_lock(row(old.op).family) || old.place.function.empty()) return false;
  return std::any_of(new_.begin(), new_.end(), [&](const PlacedOperation& o) {
    return row(o.op).family == Family::kAtomics && (row(o.op).traits & kWrites) != 0 && o.place.function == old.place.function;
  });
}

bool Reanchoring::synchronises_anew(uint32_t old_thread, const PlacedTrace& run) const {
  if (!matched_) match();
  const uint32_t thread = this->thread(old_thread, run);
  if (thread == kNoIndex) return false;
  // Threads of one routine: what one of them does may leave nothing to do for the next (pthread_once).
  const std::string entry = run.entry_of(thread);
  std::vector<bool> alike(run.trace().threads().size(), false);
  for (uint32_t t = 0; t < alike.size(); ++t) alike[t] = t == thread || (!entry.empty() && run.entry_of(t) == entry);
  for (size_t i = 0; i < run.trace().events().size(); ++i) {
    if (!alike[run.trace().events()[i].thread]) continue;
    const PlacedOperation& o = run.operations()[run.operation(i)];
    const Family family = row(o.op).family;
    if (o.place.function.empty() || !(is_lock(family) || family == Family::kConditions || family == Family::kBarriers ||
                                      family == Family::kOnces || family == Family::kFutexes || family == Family::kAtomics))
      continue;
    if (std::none_of(matches_.begin(), matches_.end(), [&](const auto& m) { return new_[m.second.operation] == o; })) return true;
  }
  return false;
}

std::vector<PlacedOperation> Reanchoring::added() const {
  if (!matched_) match();
  std::set<uint32_t> taken;
  for (const auto& [from, match] : matches_) taken.insert(match.operation);
  std::vector<PlacedOperation> rest;
  for (uint32_t i = 0; i < new_.size(); ++i) {
    const bool known_before = std::any_of(anchors_.operations.begin(), anchors_.operations.end(),
                                          [&](const PlacedOperation& o) { return likeness(o, new_[i]) >= 0.9; });
    if (!taken.contains(i) && !known_before) rest.push_back(new_[i]);
  }
  return rest;
}

uint32_t Reanchoring::thread(uint32_t old_thread, const PlacedTrace& run) const {
  const AnchoredThread& wanted = anchors_.threads[old_thread];
  const auto threads = run.trace().threads();
  uint32_t same_path = kNoIndex;
  for (uint32_t t = 0; t < threads.size(); ++t) {
    if (threads[t].path == wanted.path) same_path = t;
  }
  if (wanted.entry.empty() || (same_path != kNoIndex && run.entry_of(same_path) == wanted.entry)) return same_path;
  // Threads were added or left out before it: as many of its routine come first.
  uint32_t earlier = 0;
  for (uint32_t t = 0; t < old_thread; ++t) earlier += anchors_.threads[t].entry == wanted.entry ? 1 : 0;
  for (uint32_t t = 0; t < threads.size(); ++t) {
    if (run.entry_of(t) == wanted.entry && earlier-- == 0) return t;
  }
  return same_path;
}

std::optional<uint64_t> Reanchoring::number(uint32_t old_thread, const NumberedOperation& at, const PlacedTrace& run) const {
  const auto match = matched(at.operation);
  const uint32_t thread = this->thread(old_thread, run);
  if (!match || thread == kNoIndex) return std::nullopt;
  const auto found = std::find(run.operations().begin(), run.operations().end(), new_[match->operation]);
  if (found == run.operations().end()) return std::nullopt;
  const auto wanted = static_cast<uint32_t>(found - run.operations().begin());
  uint32_t times = 0;
  for (size_t i = 0; i < run.trace().events().size(); ++i) {
    const Event& e = run.trace().events()[i];
    if (e.thread != thread || run.operation(i) != wanted) continue;
    if (++times == at.time) return e.number;
  }
  const bool stands_there = run.pending(thread) == wanted && times + 1 == at.time;
  return stands_there ? std::optional<uint64_t>(run.trace().threads()[thread].operations + 1) : std::nullopt;
}

ReanchoredEnd Reanchoring::end(size_t slice, const PlacedTrace& run, uint64_t done) const {
  const Anchor& anchor = anchors_.ends[slice];
  ReanchoredEnd result;
  if (anchor.after.empty()) return result;
  result.from = operation_words(anchors_.operations[anchor.after.front().operation]);
  const uint32_t thread = this->thread(anchor.thread, run);
  if (thread == kNoIndex) return result;
  auto settle = [&](uint64_t until, const PlacedOperation& to, AnchorFate fate) {
    result.until = until;
    result.to = operation_words(to);
    result.fate = fate;
  };
  // The nearest operation that is still there, before or behind the switch. The n-th behind it comes n operations later.
  for (size_t distance = 0; distance < std::max(anchor.after.size(), anchor.before.size() + 1) && !result.until; ++distance) {
    if (distance < anchor.after.size()) {
      const auto n = number(anchor.thread, anchor.after[distance], run);
      const auto match = matched(anchor.after[distance].operation);
      if (n && *n > done) settle(*n - 1, new_[match->operation], distance == 0 && match->exact ? AnchorFate::kExact : AnchorFate::kMoved);
    }
    if (!result.until && distance > 0 && distance <= anchor.before.size()) {
      const auto n = number(anchor.thread, anchor.before[distance - 1], run);
      const auto match = matched(anchor.before[distance - 1].operation);
      if (n && *n >= done) settle(*n, new_[match->operation], AnchorFate::kMoved);
    }
  }
  if (!result.until) return result;
  for (const Event& e : run.trace().events()) {
    if (e.thread == thread && e.number == *result.until + 1) result.site = e.site;
  }
  if (result.site == kNoSite) result.site = run.trace().threads()[thread].site;
  return result;
}

std::vector<SiteId> Reanchoring::sites(uint32_t old_operation, const PlacedTrace& run) const {
  std::vector<SiteId> sites;
  const auto match = matched(old_operation);
  if (!match) return sites;
  for (size_t i = 0; i < run.trace().events().size(); ++i) {
    if (run.operations()[run.operation(i)] == new_[match->operation]) sites.push_back(run.trace().events()[i].site);
  }
  std::sort(sites.begin(), sites.end());
  sites.erase(std::unique(sites.begin(), sites.end()), sites.end());
  return sites;
}

}  // namespace heddle::trace
