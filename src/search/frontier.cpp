#include <algorithm>
#include <deque>
#include <memory>
#include <unordered_map>
#include <unordered_set>

#include "search/make.h"
#include "trace/happens_before.h"
#include "trace/locks.h"
#include "trace/patience.h"

namespace heddle::search {

namespace {

// First return, then explore (Ecoffet, Huizinga, Lehman, Stanley & Clune, Nature 2021), over the states of a concurrent program. A run
// goes back to a state that was seldom met, by the schedule that first led there, and goes on at random. Bugs that need
// many switches in a row are found a few switches at a time, because each step towards them is a state that is kept. A state
// is what is seen of it: which operation on a shared object each thread does next, and what these objects hold. Threads that run the same
// code are not told apart. The coarser a state, the farther it carries: there are two archives, and in the second only the objects that
// are compared and swapped count for what they hold, if there are such.
class Frontier final : public Search {
 public:
  explicit Frontier(const SearchOptions& options) : options_(options) {}

  std::optional<Plan> propose() override {
    const uint64_t turn = next_++;
    if (turn == 0) {
      in_flight_.push_back(0);
      return plan_with(options_, PolicyKind::kStay, 0);
    }
    const uint64_t draw = mix(mix(options_.seed, 0xF207), turn);
    Plan plan = plan_with(options_, turn % 4 == 3 ? PolicyKind::kPos : PolicyKind::kRandom, turn);
    plan.tail.stay = turn % 4 == 2 ? 0x8000 : 0;
    size_t position = 0;
    Archive& archive = archives_[swapped_.empty() ? 0 : turn % 2];
    if (!archive.cells.empty() && draw % 10 != 0) {
      Cell& cell = archive.seldom_met(mix(draw, 1));
      ++cell.chosen;
      position = cell.position;
      follow(*cell.path, position, plan);
    }
    in_flight_.push_back(position);
    return plan;
  }

  void withdraw() override { in_flight_.pop_back(); }
  void observe(size_t, const Trace& trace) override {
    const size_t known = in_flight_.front();
    in_flight_.pop_front();
    if (observed_++ < kLearning || observed_ % 16 == 0) learn_objects(trace);
    visit(trace, known);
  }

 private:
  static constexpr size_t kMostCells = 200'000;
  static constexpr size_t kDeepest = 20'000;  // events of a run that are looked at
  static constexpr uint64_t kLearning = 64;   // runs from which shared objects are learnt, and a few later
  static constexpr int kTournament = 8;

  // The schedule of a run, without what else is known of it.
  struct Path {
    struct Part {
      Slice slice;
      size_t end;  // events up to the end of this slice
    };
    std::vector<Part> parts;
    std::vector<std::pair<size_t, Choice>> choices;  // with their positions
  };
  struct Cell {
    std::shared_ptr<const Path> path;  // that first led there
    size_t position;                   // after so many of its events
    uint64_t met = 1;
    uint64_t chosen = 0;
  };

  static std::shared_ptr<const Path> path_of(const Trace& trace) {
    auto path = std::make_shared<Path>();
    const auto events = trace.events();
    const size_t last = std::min(events.size(), kDeepest);
    for (const TraceSlice& s : trace.slices()) {
      if (s.begin >= last) break;
      const size_t end = std::min(s.end, last);
      path->parts.push_back({{trace.threads()[s.thread].id, events[end - 1].number}, end});
    }
    for (size_t i = 0; i < last; ++i) {
      if (const auto choice = choice_of(trace, events[i])) path->choices.push_back({i, *choice});
    }
    return path;
  }

  static void follow(const Path& path, size_t position, Plan& plan) {
    size_t begin = 0;
    for (const Path::Part& part : path.parts) {
      if (begin >= position) break;
      // A thread's own operations are numbered without gaps.
      const size_t beyond = part.end > position ? part.end - position : 0;
      plan.slices.push_back({part.slice.thread, part.slice.until - beyond});
      begin = part.end;
    }
    for (const auto& [at, choice] : path.choices) {
      if (at < position) plan.choices.push_back(choice);
    }
    plan.sort_choices();
  }

  struct Archive {
    std::vector<Cell> cells;
    std::unordered_map<uint64_t, size_t> index;  // state -> cell

    // Of a few drawn at random, the one that was met and chosen least.
    Cell& seldom_met(uint64_t draw) {
      size_t best = draw % cells.size();
      for (int i = 1; i < kTournament; ++i) {
        const size_t other = mix(draw, static_cast<uint64_t>(i)) % cells.size();
        if (worn(cells[other]) < worn(cells[best])) best = other;
      }
      return cells[best];
    }
    static uint64_t worn(const Cell& cell) { return (1 + cell.met) * (1 + cell.chosen); }

    // Meets the state; true if it is new and there is room for it.
    bool meet(uint64_t state) {
      const auto [it, fresh] = index.try_emplace(state, cells.size());
      if (!fresh && it->second < cells.size()) ++cells[it->second].met;
      return fresh && cells.size() < kMostCells;
    }
  };

  void learn_objects(const Trace& trace) {
    for (const EventPair& pair : reversible_conflicts(trace)) {
      for (size_t i : {pair.first, pair.second}) {
        const Event& e = trace.events()[i];
        shared_.insert(e.object);
        if (e.op == Op::kAtomicCas || e.op == Op::kAtomicRmw) swapped_.insert(e.object);
      }
    }
  }

  void visit(const Trace& trace, size_t known) {
    const auto events = trace.events();
    const size_t last = std::min(events.size(), kDeepest);
    // What each thread does next with a shared object, after each event of its own.
    std::vector<uint64_t> ahead(events.size());
    std::vector<uint64_t> stands(trace.threads().size(), 1);
    for (size_t i = events.size(); i-- > 0;) {
      ahead[i] = stands[events[i].thread];
      if (shared_.contains(events[i].object)) stands[events[i].thread] = mix(events[i].site, static_cast<uint64_t>(events[i].op));
    }
    uint64_t places = 0;
    uint64_t values[2] = {0, 0};
    std::unordered_map<ObjectId, uint64_t> holds;
    for (uint64_t s : stands) places += mix(s, 0x7);
    std::shared_ptr<const Path> path;
    for (size_t i = 0; i < last; ++i) {
      think();
      const Event& e = events[i];
      if (!shared_.contains(e.object)) continue;
      places += mix(ahead[i], 0x7) - mix(stands[e.thread], 0x7);
      stands[e.thread] = ahead[i];
      uint64_t& value = holds[e.object];
      const uint64_t now = mix(e.object, what_it_holds(e));
      values[0] += now - value;
      if (swapped_.contains(e.object)) values[1] += now - value;
      value = now;
      if (i < known) continue;
      for (size_t kind = 0; kind < (swapped_.empty() ? 1u : 2u); ++kind) {
        if (!archives_[kind].meet(mix(places, values[kind]))) continue;
        if (!path) path = path_of(trace);
        archives_[kind].cells.push_back({path, i + 1});
      }
    }
  }

  // Memory: its value. What blocks: whether and where it was taken; data behind it that is no point shows only through that.
  static uint64_t what_it_holds(const Event& e) {
    if (is_memory(e.op)) return e.value;
    return is_unlock(e.op) ? mix(e.site, 0x0F) : mix(e.site, static_cast<uint64_t>(e.op));
  }

  SearchOptions options_;
  Archive archives_[2];
  std::unordered_set<ObjectId> shared_;
  std::unordered_set<ObjectId> swapped_;  // those of them that are compared and swapped, or updated in one step
  std::deque<size_t> in_flight_;          // how much of each proposal is known already
  uint64_t next_ = 0;
  uint64_t observed_ = 0;
};

constexpr SearchRow kFrontierSearch{
    140, "frontier", "returns to rarely seen states and goes on from there", "Ecoffet et al. 2021, First return, then explore",
    [](const SearchOptions& options) -> std::unique_ptr<Search> { return std::make_unique<Frontier>(options); }};
HEDDLE_ROW(searches, kFrontierSearch);

}  // namespace

}  // namespace heddle::search
