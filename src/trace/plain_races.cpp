#include "trace/plain_races.h"

#include <algorithm>
#include <cctype>

#include "symbols/copied_objects.h"
#include "wire/atomic_sites.h"

namespace heddle::trace {

namespace {

constexpr size_t kLargestAtomic = 8;  // that an ordinary instruction can be

bool mentions_atomic(const std::string& text) {
  std::string low = text;
  std::transform(low.begin(), low.end(), low.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return low.find("atomic") != std::string::npos;
}

// A macro can hide anything: a name of capitals before a parenthesis. So can assembly.
bool hides_something(const std::string& statement) {
  if (statement.find("asm") != std::string::npos) return true;
  for (size_t at = statement.find('('); at != std::string::npos; at = statement.find('(', at + 1)) {
    size_t end = at;
    while (end > 0 && statement[end - 1] == ' ') --end;
    size_t begin = end;
    bool capitals = false, small = false;
    for (; begin > 0 && (std::isalnum(static_cast<unsigned char>(statement[begin - 1])) != 0 || statement[begin - 1] == '_'); --begin) {
      capitals |= std::isupper(static_cast<unsigned char>(statement[begin - 1])) != 0;
      small |= std::islower(static_cast<unsigned char>(statement[begin - 1])) != 0;
    }
    if (capitals && !small && end - begin > 1) return true;
  }
  return false;
}

Atomicity by_source(SiteId site, const Symbols& symbols, SourceFiles& sources) {
  const std::vector<Frame> frames = symbols.frames(site_module(site), site_offset(site));
  for (const Frame& f : frames) {
    if (mentions_atomic(f.function) || mentions_atomic(f.file.substr(f.file.rfind('/') + 1))) return Atomicity::kAtomic;
    if (!f.inlined) break;
  }
  if (frames.empty() || frames.front().file.empty()) return Atomicity::kUnknown;
  const auto statement = sources.line(frames.front().file, frames.front().line);
  if (!statement) return Atomicity::kUnknown;
  if (mentions_atomic(*statement)) return Atomicity::kAtomic;
  return hides_something(*statement) ? Atomicity::kUnknown : Atomicity::kPlain;
}

bool is_plain_op(Op op) { return op == Op::kLoad || op == Op::kStore || op == Op::kLoadStore; }
bool is_atomic_op(Op op) { return row(op).family == Family::kAtomics; }

}  // namespace

Atomicity PlainRaces::of(const RaceSide& side, const Symbols& symbols) {
  if (is_atomic_op(side.op)) return Atomicity::kAtomic;
  if (!is_plain_op(side.op) || side.size > kLargestAtomic) return Atomicity::kPlain;
  const auto [at, fresh] = known_.try_emplace(side.site, Atomicity::kUnknown);
  if (fresh) at->second = by_source(side.site, symbols, sources_);
  return at->second;
}

// A variable of a library that the linker has put into the program: the library looks after it, as after the standard streams.
bool PlainRaces::is_librarys(const Trace& trace, const RaceRow& row) {
  const ObjectRow* object = trace.object(row.object);
  if (object == nullptr || object_kind(row.object) != ObjectKind::kGlobal || object->a >= trace.modules().size()) return false;
  const auto [at, fresh] = copied_.try_emplace(static_cast<uint32_t>(object->a));
  if (fresh) at->second = copied_objects(trace.modules()[object->a].path);
  return std::any_of(at->second.begin(), at->second.end(),
                     [&](const auto& range) { return object->b >= range.first && object->b < range.second; });
}

// Locks and other objects that threads synchronise by: how they are made and used says nothing about atomic variables.
static std::set<ObjectId> synchronisation_objects(const Trace& trace) {
  std::set<ObjectId> all;
  for (const Event& e : trace.events()) {
    if (e.object != kNoObject && !is_memory(e.op) && row(e.op).family != Family::kFutexes) all.insert(e.object);
  }
  return all;
}

bool PlainRaces::add(const Trace& trace, const Symbols& symbols, bool whole) {
  bool taught = false;
  std::vector<RaceRow> races, suspicions;
  const std::set<ObjectId> locks = trace.data().races.empty() ? std::set<ObjectId>{} : synchronisation_objects(trace);
  for (const RaceRow& row : trace.data().races) {
    if (is_librarys(trace, row)) continue;
    if (locks.count(row.object) != 0) {
      races.push_back(row);
      continue;
    }
    const Atomicity first = of(row.first, symbols);
    const Atomicity second = of(row.second, symbols);
    // What locked instructions access is atomic for all.
    const bool beside_atomic = is_atomic_op(row.first.op) || is_atomic_op(row.second.op);
    const RaceSide& other = is_atomic_op(row.first.op) ? row.second : row.first;
    if (beside_atomic && is_plain_op(other.op) && other.size <= kLargestAtomic) {
      taught |= learn(other.site);
      continue;
    }
    bool atomic = false;
    for (const auto& [side, word] : {std::pair(&row.first, first), std::pair(&row.second, second)}) {
      if (word == Atomicity::kAtomic && !is_atomic_op(side->op)) {
        taught |= learn(side->site);
        atomic = true;
      }
    }
    if (atomic) continue;
    if (first != Atomicity::kUnknown || second != Atomicity::kUnknown) {
      races.push_back(row);
      continue;
    }
    suspicions.push_back(row);
    suspicions.back().kind = RaceKind::kPossible;
    unknown_ += (learn(row.first.site) ? 1 : 0) + (learn(row.second.site) ? 1 : 0);
    taught = true;
  }
  unsettled_.clear();
  if (whole && !taught) {
    log_.add(trace, races);
  } else {
    for (const RaceRow& row : races) unsettled_.insert({row.first.site, row.second.site});
  }
  log_.add(trace, suspicions);
  return taught;
}

std::vector<SiteId> PlainRaces::sites() const {
  std::vector<SiteId> all;
  for (SiteId site : atomic_) all.push_back(atomic_site(site));
  return all;
}

}  // namespace heddle::trace
