#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>

#include "search/find.h"
#include "search/forecast.h"
#include "search/make.h"
#include "search/reversal.h"
#include "trace/sight.h"

namespace heddle::search {

namespace {

// The default. No single strategy dominates, so: the sequential run; then one preemption at racing or contended operations, systematically,
// most promising first, with samples in between for what the systematic part is slow at; then a mix in which a strategy gets
// executions as it brings new behaviour. A share of the runs lets a sleep, a time-out or a wait on a condition end before its time, where the
// program has such. Everything is a function of the seed and of the traces in order.
enum Arm : uint32_t { kGuidedArm, kTurnsArm, kSurwArm, kRaceArm, kPosArm, kRffArm, kPctArm, kFrontierArm, kRandomArm, kTimingArm, kArms };
constexpr const char* kArmNames[] = {"guided", "turns", "surw", "race", "pos", "rff", "pct", "frontier", "random", "timing"};
static_assert(std::size(kArmNames) == kArms);

// How the first executions are dealt out: the systematic part leads.
constexpr Arm kOpening[] = {kGuidedArm, kGuidedArm, kSurwArm, kGuidedArm, kGuidedArm, kSurwArm, kTurnsArm, kGuidedArm, kSurwArm,
                            kGuidedArm, kPosArm,    kSurwArm, kGuidedArm, kPosArm,    kRaceArm, kSurwArm,  kTurnsArm,  kGuidedArm};
// Where runs are long, samples lead.
constexpr Arm kLongOpening[] = {kSurwArm, kRandomArm, kPosArm,  kRandomArm, kSurwArm, kGuidedArm, kTurnsArm, kPosArm,  kRandomArm,
                                kSurwArm, kGuidedArm, kRaceArm, kRandomArm, kSurwArm, kPosArm,    kTurnsArm, kRaceArm, kGuidedArm};
static_assert(std::size(kOpening) == std::size(kLongOpening));
// And go on to lead: each meets what the others do not, so they take turns.
constexpr Arm kSamples[] = {kPosArm, kSurwArm, kRandomArm};
// Lengths of a turn: a critical section is two operations, an update of a variable in place two or three.
constexpr uint64_t kTurns[] = {2, 1, 3, 4, 6, 5, 8, 7};
// How samples with early ends are drawn, in turn; the walks stay with a thread at one point in so many of 65,536.
constexpr PolicyKind kTimingPolicies[] = {PolicyKind::kPos, PolicyKind::kRandom, PolicyKind::kPos, PolicyKind::kRandom};
constexpr uint16_t kTimingStays[] = {0, 0, 0, 0x8000};
// What may end early in a sample: short waits in half of them, long ones seldom. Seconds: a person who writes ten means "by then".
constexpr uint64_t kTimingReachMs[] = {policy::kEarlyTimeoutMs, 10'000, policy::kEarlyTimeoutMs, policy::kLongestEarlyMs};
// And at how many of the steps: a time-out that may come at any step comes right after the wait began.
constexpr uint64_t kTimingGaps[] = {0, 0, 3, 0, 16};

class Portfolio final : public Search {
 public:
  explicit Portfolio(const SearchOptions& options) : options_(options), reversals_(options.history, options.timing) {
    if (options.history) coverage_.know(options.history->behaviours);
    for (uint32_t arm = kSurwArm; arm < kTimingArm; ++arm) {
      SearchOptions own = options;
      own.seed = mix(options.seed, 0xA2300 + arm);
      arms_[arm].search = search_named(kArmNames[arm])->make(own);
    }
  }

  std::optional<Plan> propose() override {
    if (proposed_ == 0) return note(kArms, plan_with(options_, PolicyKind::kStay, 0));
    if (observed_ == 0) return std::nullopt;
    Arm arm = choose();
    std::optional<Plan> plan = next_of(arm);
    // A run of which all is known already is not made: the arm has another try, and then the other arms.
    for (uint32_t tries = 0; plan && arm != kTimingArm; ++tries) {
      if (!forecast_.knows(*plan)) {
        patience_ = kPatience;
        break;
      }
      if (!exact_ && mix(mix(options_.seed, 0x5A3E + tries), proposed_) % kAnyway == 0) break;
      if (tries >= patience_) {
        patience_ = std::max(kLeastPatience, patience_ / 2);
        break;
      }
      if (arms_[arm].search) arms_[arm].search->withdraw();
      if (tries % kTriesOfOne == kTriesOfOne - 1) arm = draw(tries);
      plan = next_of(arm);
    }
    if (!plan) return std::nullopt;
    return note(arm, std::move(*plan), arm != kTimingArm);
  }

  void observe(size_t, const Trace& trace) override {
    const Pending pending = std::move(pending_.front());
    const uint32_t arm = pending.arm;
    pending_.pop_front();
    forecast_.learn(trace, pending.plan ? &*pending.plan : nullptr);
    const size_t fresh = coverage_.add_behaviours(trace);
    // What samples suggest would only stand in the way of the systematic part at first; later, where they go is where it has not been.
    // Where samples lead nearly every one shows something new, and there is more to try than can be tried.
    const bool suggests = fresh > 0 && observed_ >= kSystematic && !samples_lead_;
    if (arm == kArms || arm == kGuidedArm || arm == kTimingArm || suggests) reversals_.add(trace);
    ++observed_;
    learn_length(trace);
    if (fresh > 0) learn_objects(trace);
    if (arm == kArms) {
      samples_lead_ = samples_lead_ || trace.events().size() >= kLong;
      // The sequential run is the profile of every arm that wants one.
      for (uint32_t i = kSurwArm; i < kTimingArm; ++i) {
        if (i == kSurwArm || i == kRaceArm || i == kPctArm || i == kRffArm || i == kFrontierArm) arms_[i].search->propose();
        arms_[i].search->observe(arms_[i].observed++, trace);
      }
      return;
    }
    if (arm == kTimingArm) most_timing_ = std::max(most_timing_, timing_choices(trace));
    if (arms_[arm].search) arms_[arm].search->observe(arms_[arm].observed++, trace);
    for (ArmState& a : arms_) {
      a.runs *= kMemory;
      a.reward *= kMemory;
    }
    arms_[arm].runs += 1;
    arms_[arm].reward += fresh > 0 ? 1 + 0.1 * static_cast<double>(std::min<size_t>(fresh, 10)) : 0;
  }

  bool draws_samples() const override { return samples_lead_; }

  std::string knowledge() const override {
    std::string words = arms_[kPctArm].search->knowledge();
    if (timing_runs_ == 0) return words;
    if (most_timing_ == 0) {
      return words + fmt::format(
                         "{}In {} run{} a sleep, a time-out or a wait on a condition was free to end before its time, and none did; those "
                         "of more than a minute were not.",
                         words.empty() ? "" : " ", timing_runs_, timing_runs_ == 1 ? "" : "s");
    }
    return words +
           fmt::format("{}In {} run{} a sleep, a time-out or a wait on a condition ended before its time, {} of them at most in one.",
                       words.empty() ? "" : " ", timing_runs_, timing_runs_ == 1 ? "" : "s", most_timing_);
  }

 private:
  static constexpr double kMemory = 0.99;
  static constexpr uint32_t kPatience = 32;
  static constexpr uint32_t kLeastPatience = 2;
  static constexpr uint32_t kTriesOfOne = 8;
  static constexpr uint64_t kAnyway = 4;
  static constexpr size_t kMostMarks = 64;
  static constexpr uint64_t kAllTurns = 2 * std::size(kTurns);  // by marked operations, then by all
  static constexpr uint64_t kSystematic = 40;
  static constexpr uint64_t kDeep = 1000;
  static constexpr size_t kMany = 150;   // reversals that wait
  static constexpr uint64_t kFirst = 6;  // runs that the opening deals out in any case
  static constexpr uint64_t kEarly = 500;
  static constexpr size_t kLong = 2'000;         // events of the sequential run
  static constexpr uint64_t kLongRound = 12;     // of long runs one in so many is systematic
  static constexpr uint64_t kTimingShare = 8;    // one run in so many
  static constexpr uint64_t kTimingOpening = 4;  // at first; where the program sleeps, from the beginning
  static constexpr uint64_t kTimingEarly = 64;
  static constexpr uint64_t kManyTimings = 16;      // such runs, after which more of it may happen in one
  static constexpr uint64_t kTimingSystematic = 3;  // such runs, before every third one is drawn
  struct ArmState {
    std::unique_ptr<Search> search;
    size_t observed = 0;
    double runs = 0;    // fading
    double reward = 0;  // fading: runs that showed something new, and a little for how much
  };

  struct Pending {
    uint32_t arm;              // kArms = the sequential run
    std::optional<Plan> plan;  // of some, to test the forecast on
  };

  // The next plan of an arm; which may give its turn to another.
  std::optional<Plan> next_of(Arm& arm) {
    std::optional<Plan> plan;
    if (arm == kGuidedArm) {
      // All that waited may turn out to have been tried under another name; then none waits any more, and another arm has the turn.
      if (const auto reversal = reversals_.take()) {
        plan = plan_for(*reversal, options_);
        if (reversals_.waiting() >= kMany && guided_++ % 2 == 1) go_on_as_sampled(*plan);
      } else {
        arm = choose();
      }
    }
    if (arm == kTimingArm) {
      plan = timing_plan();
    } else if (arm == kTurnsArm) {
      // Strict alternation, a few operations each: the bugs that need many switches need them regular.
      plan = plan_with(options_, PolicyKind::kFifo, proposed_);
      plan->tail.quantum = kTurns[turns_ % std::size(kTurns)];
      if (turns_++ / std::size(kTurns) % 2 == 0) plan->marks = contended_;
    } else if (arm != kGuidedArm) {
      plan = arms_[arm].search->propose();
    }
    if (plan && !timed_)
      plan->limits.events = std::min(plan->limits.events, arm == kTurnsArm ? 20 * longest_ + 2'000 : 50 * longest_ + 20'000);
    return plan;
  }

  // Where many wait, what needs several of these switches does not get its turn: every second one goes on as a uniform sample does, from where
  // it has turned the order round.
  void go_on_as_sampled(Plan& plan) {
    const std::optional<Plan> sample = arms_[kSurwArm].search->propose();
    if (!sample) return;
    arms_[kSurwArm].search->withdraw();
    plan.tail = sample->tail;
    plan.marks = sample->marks;
    plan.weights = sample->weights;
  }

  // Waits that nobody has seen time out may be long ones: they have their turn where a failure without them would have been found.
  Plan timing_plan() {
    const bool sample = timing_runs_ >= kTimingSystematic && timing_runs_ % 3 == 1;
    const bool timeout = proposed_ > std::size(kOpening) && timing_runs_ % 3 == 2;
    ++timing_runs_;
    if (sample) return timing_sample();
    auto reversal = timeout ? reversals_.take_timeout() : reversals_.take_timing();
    if (!reversal && proposed_ > std::size(kOpening)) reversal = timeout ? reversals_.take_timing() : reversals_.take_timeout();
    return reversal ? plan_for(*reversal, options_) : timing_sample();
  }

  // What ends before its time is drawn, few of it first. Of what a run suggests there may be more than can be tried, and no run suggests
  // that a wait which was ended by somebody else could have timed out in the midst of that one's work.
  Plan timing_sample() {
    const uint64_t sample = timing_samples_++;
    const auto most = static_cast<uint16_t>(1 + timing_runs_ / kManyTimings % options_.timing);
    Plan plan = plan_with(options_, kTimingPolicies[sample % std::size(kTimingPolicies)], proposed_);
    plan.tail.stay = kTimingStays[sample % std::size(kTimingStays)];
    plan.tail.early = std::max(plan.tail.early, most);
    plan.tail.length = kTimingReachMs[sample / 2 % std::size(kTimingReachMs)];
    plan.tail.quantum = kTimingGaps[sample % std::size(kTimingGaps)];
    plan.tail.spurious = std::max(plan.tail.spurious, most);
    return plan;
  }

  Plan note(uint32_t arm, Plan plan, bool asked = false) {
    forecast_.begin(plan, asked);
    const bool kept = arm != kTimingArm && (proposed_ < 32 || proposed_ % 16 == 0);
    pending_.push_back({arm, kept ? std::optional<Plan>(plan) : std::nullopt});
    ++proposed_;
    return plan;
  }

  // A schedule may keep threads from ever getting on with each other without their being stuck: such a run is given up when it is far
  // longer than any that came to an end. Not where time passes: waiting may rightly take long.
  void learn_length(const Trace& trace) {
    if (trace.outcome().kind != OutcomeKind::kLimit) longest_ = std::max<uint64_t>(longest_, trace.data().executed);
    if (timed_ && waits_) return;
    for (const Event& e : trace.events()) {
      timed_ = timed_ || has(e.op, kTimed);
      waits_ = waits_ || e.op == Op::kCondWait;
    }
  }

  void learn_objects(const Trace& trace) {
    if (contended_.size() == kMostMarks) return;
    for (const EventPair& pair : reversible_conflicts(trace)) {
      const ObjectId object = trace.events()[pair.first].object;
      if (contended_.size() == kMostMarks) return;
      if (std::find(contended_.begin(), contended_.end(), object) == contended_.end()) contended_.push_back(object);
    }
  }

  Arm choose() {
    const uint64_t turn = proposed_ - 1;
    const bool systematic = !reversals_.empty();
    // More is waiting than can be tried: what needs several of these switches is met by uniform samples first.
    const bool many = reversals_.waiting() >= kMany && !samples_lead_ && !timed_;
    if (many && turn >= kFirst && turn < kEarly && turn % 2 == 0) return kSurwArm;
    // What depends on a sleep is found so, or not at all.
    if (options_.timing > 0 && timed_ && turn < std::size(kOpening) && turn % kTimingOpening == 1) return kTimingArm;
    if (turn < std::size(kOpening)) {
      const Arm arm = (samples_lead_ ? kLongOpening : kOpening)[turn];
      return arm == kGuidedArm && !systematic ? kSurwArm : arm;
    }
    const uint64_t timing_share = timed_ && turn < kTimingEarly ? kTimingOpening : kTimingShare;
    if (options_.timing > 0 && turn % timing_share == timing_share - 1 && (timed_ || waits_)) return kTimingArm;
    if (samples_lead_) {
      if (turn % kLongRound == kLongRound - 1 && systematic) return kGuidedArm;
      return turn % 4 == 3 ? draw(0) : kSamples[turn % std::size(kSamples)];
    }
    // The systematic part keeps half of the executions while it has something to try; of the later ones, which are ever less promising, a
    // smaller share.
    const uint64_t share = turn < kEarly ? 2 : turn < 2000 ? 4 : 8;
    if (systematic && turn % share == 0) return kGuidedArm;
    // What is still hidden then lies deep, and new behaviour, of which a large program has any amount, does not lead there.
    if (turn >= kDeep && turn % 2 == 1) return kFrontierArm;
    // Uniform samples of the contended operations are the best of the others on most programs.
    if (turn < kEarly && turn % 4 == 1) return kSurwArm;
    return draw(0);
  }

  // By what each arm has brought of late; `again` counts the draws of one turn.
  Arm draw(uint32_t again) {
    const bool systematic = !reversals_.empty();
    std::array<double, kArms> weight{};
    double total = 0;
    for (uint32_t i = 0; i < kArms; ++i) {
      if ((i == kGuidedArm && !systematic) || i == kTimingArm || (i == kTurnsArm && turns_ >= kAllTurns)) continue;
      weight[i] = (0.2 + arms_[i].reward) / (1 + arms_[i].runs) + (i == kFrontierArm ? 0.12 : 0.02);
      total += weight[i];
    }
    double left = total * static_cast<double>(mix(mix(options_.seed, 0x90F + again), proposed_ - 1) >> 11) * 0x1p-53;
    for (uint32_t i = 0; i < kArms; ++i) {
      if (weight[i] > 0 && left < weight[i]) return static_cast<Arm>(i);
      left -= weight[i];
    }
    return kRandomArm;
  }

  SearchOptions options_;
  Reversals reversals_;
  Coverage coverage_;
  std::array<ArmState, kArms> arms_;
  // Where racing accesses are no points, a run is more than its partial order: some are made all the same.
  const bool exact_ = options_.base.points == PointKind::kRacy || options_.base.points == PointKind::kAll;
  Forecast forecast_{exact_};
  uint32_t patience_ = kPatience;  // known runs that are passed over for one that is made; less where there is little else
  std::deque<Pending> pending_;    // proposals not yet observed
  uint64_t proposed_ = 0;
  uint64_t observed_ = 0;
  uint64_t turns_ = 0;
  uint64_t guided_ = 0;   // proposals while many waited
  uint64_t longest_ = 0;  // run that came to its end
  bool timed_ = false;    // the program waits for time to pass
  bool waits_ = false;    // or on a condition
  bool samples_lead_ = options_.samples_first;
  uint64_t timing_runs_ = 0;
  uint64_t timing_samples_ = 0;
  size_t most_timing_ = 0;           // in one run
  std::vector<uint64_t> contended_;  // objects that threads met on
};

constexpr SearchRow kPortfolioSearch{
    10,
    "portfolio",
    "the default: systematic first, then what brings new behaviour",
    "see docs/design.md",
    [](const SearchOptions& options) -> std::unique_ptr<Search> { return std::make_unique<Portfolio>(options); },
    true};
HEDDLE_ROW(searches, kPortfolioSearch);

}  // namespace

}  // namespace heddle::search
