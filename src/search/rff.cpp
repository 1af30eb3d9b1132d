#include <algorithm>
#include <deque>
#include <memory>
#include <unordered_map>

#include "search/make.h"
#include "search/reversal.h"
#include "trace/happens_before.h"
#include "trace/locks.h"

namespace heddle::search {

namespace {

// Reads-from feedback, after Wolff, Shi, Duck, Mathur & Roychoudhury, ASPLOS 2024: runs that show a new pair of a write and the read that sees it are kept;
// one is drawn, the rarer its combination of pairs the likelier, and mutated: some read (or request for a lock) is made to come
// before the write that it saw, or after one that it did not. What follows the mutation is sampled by POS.
class Rff final : public Search {
 public:
  explicit Rff(const SearchOptions& options) : options_(options) {}

  std::optional<Plan> propose() override {
    const uint64_t turn = next_++;
    const uint64_t draw = mix(mix(options_.seed, 0x2FF), turn);
    if (turn == 0) return plan_with(options_, PolicyKind::kStay, 0);
    // A share of plain samples keeps the corpus from growing round one run only.
    if (corpus_.empty() || draw % 8 == 0) return plan_with(options_, PolicyKind::kPos, turn);
    Seed& seed = pick(mix(draw, 1));
    ++seed.chosen;
    const EventPair pair = seed.pairs[mix(draw, 2) % seed.pairs.size()];
    const HappensBefore must(*seed.trace, Edges::kMust);
    const std::vector<Slice> way = way_to(*seed.trace, must, pair.first, pair.second, {});
    Plan plan = plan_for({*seed.trace, pair.first, way, {}}, options_);
    // Back to the thread that was held up, on every other try: what it does next sees what the other has just done.
    if ((mix(draw, 3) & 1) != 0) {
      const Event& e = seed.trace->events()[pair.first];
      plan.slices.push_back({seed.trace->thread_id(e), e.number});
    }
    const Plan tail = plan_with(options_, (mix(draw, 4) & 1) != 0 ? PolicyKind::kPos : PolicyKind::kStay, turn);
    plan.tail = tail.tail;
    return plan;
  }

  void observe(size_t, const Trace& trace) override {
    const std::vector<uint64_t> seen = behaviours(trace);
    uint64_t signature = 0;
    bool fresh = false;
    for (uint64_t b : seen) {
      signature += mix(b, 0x51);
      fresh = known_[b]++ == 0 || fresh;
    }
    ++frequency_[signature];
    if (!fresh) return;
    std::vector<EventPair> pairs = reversible_conflicts(trace);
    if (pairs.empty()) return;
    if (corpus_.size() == kMostSeeds) corpus_.pop_front();
    corpus_.push_back({std::make_shared<const Trace>(trace), std::move(pairs), signature, 0});
  }

 private:
  static constexpr size_t kMostSeeds = 128;
  struct Seed {
    std::shared_ptr<const Trace> trace;
    std::vector<EventPair> pairs;
    uint64_t signature;
    uint64_t chosen;
  };

  // The power schedule: energy falls with how often a combination has been seen and how often it has been drawn.
  Seed& pick(uint64_t draw) {
    double total = 0;
    for (const Seed& s : corpus_) total += energy(s);
    double left = total * static_cast<double>(draw >> 11) * 0x1p-53;
    for (Seed& s : corpus_) {
      left -= energy(s);
      if (left < 0) return s;
    }
    return corpus_.back();
  }
  double energy(const Seed& s) const { return 1.0 / static_cast<double>(frequency_.at(s.signature) * (1 + s.chosen)); }

  SearchOptions options_;
  std::deque<Seed> corpus_;
  std::unordered_map<uint64_t, uint64_t> known_;      // behaviours
  std::unordered_map<uint64_t, uint64_t> frequency_;  // combinations
  uint64_t next_ = 0;
};

constexpr SearchRow kRffSearch{110, "rff", "mutates runs that showed a new reads-from pair", "Wolff et al. 2024",
                               [](const SearchOptions& options) -> std::unique_ptr<Search> { return std::make_unique<Rff>(options); }};
HEDDLE_ROW(searches, kRffSearch);

}  // namespace

}  // namespace heddle::search
