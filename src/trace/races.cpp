#include "trace/races.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <tuple>

#include "symbols/object_words.h"
#include "symbols/symbols_names.h"

namespace heddle::trace {

namespace {

SiteId call_of(const RaceSide& side) { return side.stack_size > 0 ? side.stack[0] : kNoSite; }

// What two reports of the same thing have in common: elements of an array and fields of a block are told apart by the lines only.
std::string object_group(const Symbols& symbols, const ObjectRow& row) {
  switch (object_kind(row.id)) {
    case ObjectKind::kGlobal:
    case ObjectKind::kStack: {
      const std::string name = object_words(symbols, row);
      return name.substr(0, name.find_first_of("[.+"));
    }
    case ObjectKind::kHeap: return fmt::format("heap {:x}", row.site);
    case ObjectKind::kThread:
    case ObjectKind::kDescriptor:
    case ObjectKind::kMapped:
    case ObjectKind::kNone: break;
  }
  return "mapped";
}

std::string frame_words(const Frame& f) {
  const std::string name = f.function.empty() ? "?" : pretty_function(f.function);
  return f.file.empty() ? name : fmt::format("{} ({}:{})", name, base_name(f.file), f.line);
}

struct Side {
  RaceSideReport report;
  bool suppressed = false;
};

Side side_of(const RaceSide& row, const std::string& thread, const std::map<ObjectId, ObjectRow>& locks, const Symbols& symbols,
             const Suppressions& suppressions) {
  Side side;
  RaceSideReport& r = side.report;
  r.thread = thread;
  r.op = row.op;
  r.size = row.size;
  r.place = describe_site(symbols, row.site);
  std::vector<SiteId> sites = {row.site};
  sites.insert(sites.end(), row.stack, row.stack + row.stack_size);
  for (SiteId site : sites) {
    if (site == kNoSite) continue;
    // What called the program's thread is nobody's business; an access inside a library is.
    if (!r.stack.empty() && symbols.is_system_library(site_module(site))) continue;
    const auto frames = symbols.frames(site_module(site), site_offset(site));
    for (const Frame& f : frames) {
      side.suppressed |= suppressions.covers(f);
      // How a library came to call the program says nothing; that the access itself is in a header does.
      if (r.stack.empty() || !is_system_source(f.file)) r.stack.push_back(frame_words(f));
    }
    if (frames.empty()) r.stack.push_back(describe_site(symbols, site));
  }
  if (const auto frame = symbols.user_frame(site_module(row.site), site_offset(row.site))) r.frame = *frame;
  for (uint32_t i = 0; i < row.lock_count; ++i) {
    const auto found = locks.find(row.locks[i]);
    r.locks.push_back(found != locks.end() ? object_words(symbols, found->second) : "a lock");
  }
  return side;
}

}  // namespace

Suppressions Suppressions::parse(const std::string& text) {
  Suppressions all;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    line.erase(std::min(line.find('#'), line.size()));
    while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back()))) line.pop_back();
    const size_t start = line.find_first_not_of(" \t");
    if (start != std::string::npos) all.add(line.substr(start));
  }
  return all;
}

void Suppressions::add(const std::string& pattern) {
  if (pattern.starts_with("function:")) {
    patterns_.push_back({true, false, pattern.substr(9)});
  } else if (pattern.starts_with("file:")) {
    patterns_.push_back({false, true, pattern.substr(5)});
  } else {
    patterns_.push_back({true, true, pattern});
  }
}

bool Suppressions::covers(const Frame& frame) const {
  auto matches = [](const std::string& glob, const std::string& text) { return ::fnmatch(glob.c_str(), text.c_str(), 0) == 0; };
  return std::any_of(patterns_.begin(), patterns_.end(), [&](const Pattern& p) {
    if (p.function && (matches(p.glob, frame.function) || matches(p.glob, pretty_function(frame.function)))) return true;
    return p.file && (matches(p.glob, frame.file) || matches(p.glob, base_name(frame.file)));
  });
}

bool RaceLog::add(const Trace& trace, const std::vector<RaceRow>& races) {
  const std::vector<SiteId> before = sites();
  std::set<Key> in_this_run;
  for (const RaceRow& row : races) {
    Key key{row.first.site, row.second.site, call_of(row.first), call_of(row.second)};
    if (std::tie(key.high, key.high_call) < std::tie(key.low, key.low_call)) {
      std::swap(key.low, key.high);
      std::swap(key.low_call, key.high_call);
    }
    Seen& seen = seen_[key];
    // A confirmed race takes the place of the suspicion.
    if (seen.count == 0 || (row.kind == RaceKind::kConfirmed && seen.row.kind == RaceKind::kPossible)) {
      seen.row = row;
      seen.first_thread = trace.threads()[row.first.thread].path;
      seen.second_thread = trace.threads()[row.second.thread].path;
      const ObjectRow* object = trace.object(row.object);
      seen.object = object != nullptr ? *object : ObjectRow{row.object, 0, 0, 0, kNoSite, 0, 0};
      for (const RaceSide* side : {&row.first, &row.second}) {
        for (uint32_t i = 0; i < side->lock_count; ++i) {
          if (const ObjectRow* lock = trace.object(side->locks[i])) seen.locks[side->locks[i]] = *lock;
        }
      }
    }
    seen.count += row.count;
    if (in_this_run.insert(key).second) ++seen.runs;
  }
  return sites() != before;
}

std::vector<SiteId> RaceLog::sites(const std::set<SiteId>& hot) const {
  std::set<SiteId> sites;
  for (const auto& [key, seen] : seen_) {
    for (SiteId site : {key.low, key.high}) {
      if (seen.row.kind == RaceKind::kConfirmed || hot.count(site) == 0) sites.insert(site);
    }
  }
  sites.erase(kNoSite);
  return {sites.begin(), sites.end()};
}

std::vector<RaceReport> RaceLog::report(const Symbols& symbols, const Suppressions& suppressions) const {
  std::map<std::tuple<std::string, std::string, std::string>, RaceReport> races;
  for (const auto& [key, seen] : seen_) {
    const Side first = side_of(seen.row.first, seen.first_thread, seen.locks, symbols, suppressions);
    const Side second = side_of(seen.row.second, seen.second_thread, seen.locks, symbols, suppressions);
    if (first.suppressed || second.suppressed) continue;
    const auto [low, high] = std::minmax(first.report.place, second.report.place);
    RaceReport& r = races[{low, high, object_group(symbols, seen.object)}];
    const bool confirmed = seen.row.kind == RaceKind::kConfirmed;
    const bool better = r.count == 0 || (confirmed && !r.confirmed);
    r.count += seen.count;
    r.runs = std::max(r.runs, seen.runs);
    if (!better) continue;
    r.confirmed = confirmed;
    r.object = object_words(symbols, seen.object);
    r.first = first.report;
    r.second = second.report;
  }
  std::vector<RaceReport> all;
  for (auto& [key, race] : races) all.push_back(std::move(race));
  std::stable_sort(all.begin(), all.end(), [](const RaceReport& a, const RaceReport& b) { return a.confirmed > b.confirmed; });
  return all;
}

}  // namespace heddle::trace
