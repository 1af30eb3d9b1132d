#pragma once
// Tells how a run will go before it is made, from the runs so far: what is known need not be run.
#include <deque>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "policy/director.h"
#include "search/step_table.h"
#include "trace/objects.h"
#include "trace/order_walk.h"
#include "trace/plan.h"
#include "trace/trace.h"

namespace heddle::search {

// Where every racing access is a point, a thread does next what it did in any earlier run in which it had the same past: its own
// operations, and those that it depends on. So runs are made of pieces of earlier runs, put together as the plan's policy, which is a function, has it; and one
// that comes out as a partial order that was seen already (Mazurkiewicz 1977) would show nothing new. Sampling without putting back: the
// partial orders that are left are met sooner. No forecast is given where a thread gets somewhere new, or does what the model does not
// know all about (time, descriptors, signals). The forecast is tested on runs that were made, and given up where it is wrong.
//
// Making a forecast is work, too, and where most runs are known already, many are made for one run. So there is so much of it, and no more:
// where a run is short, making it costs less than forecasting eight others. `exact`: every racing access is a point; there it goes on with what
// the runs so far earn it.
class Forecast {
 public:
  explicit Forecast(bool exact = true) : exact_(exact) {}
  // `plan`: what the run was made from, to test the forecast on; or nothing.
  void learn(const Trace& trace, const Plan* plan);
  // Will the run show a partial order that was seen, or get to the same new place as one that was begun and not learnt yet?
  bool knows(const Plan& plan);
  // The run is made; told of in the order in which they are learnt. `asked`: knows() was asked about this plan just before.
  void begin(const Plan& plan, bool asked = false);
  // The partial order of the run, if what was seen says it to the end.
  std::optional<uint64_t> order(const Plan& plan);

  // It was right so far, but for one run in sixteen at most.
  bool trusted() const { return usable_ && right_ > 0 && wrong_ * 16 <= right_; }

 private:
  static constexpr size_t kMostKnown = 400'000;  // states of threads
  static constexpr size_t kLongest = 4'000;      // events of a run
  static constexpr uint64_t kFree = 250'000;     // events forecast
  static constexpr uint64_t kPerEvent = 1;       // of a run that was made
  static constexpr uint64_t kHopeless = 24;      // tests of which not one was right

  // What a thread with a certain past does next.
  struct Next {
    Op op;
    ObjectId object;
    SiteId site;
    ObjectId mutex;
    ObjectId block;
    uint32_t at;        // the object, in objects_
    uint32_t mutex_at;  // model::kNone: none
  };
  // How an operation went, by what it depends on, and what its thread does after it. Of a thread that has done nothing yet: only that.
  struct Step {
    Next next;
    uint16_t flags;
    bool known_next, known_result;
    bool ends;  // the process ended with it
  };
  struct Actor {
    ThreadId id = kNoThread;
    const Step* at = nullptr;
    const Next* next = nullptr;
    uint32_t number = 0;
    uint32_t births = 0;
    uint32_t place = 0;  // in candidates_
    uint32_t joins = model::kNone;
    bool waits = false;  // for something, before its next operation
    bool gave_way = false;
    uint64_t last_step = 0;
  };
  void learn_steps(const Trace& trace);
  std::optional<uint64_t> run_through(const Plan& plan);
  bool affordable() const;
  void give_up();
  bool stand(uint32_t slot);
  Ready ready(uint32_t slot);
  void show(uint32_t slot);
  void leave(uint32_t slot);
  uint32_t at(ObjectId object);
  void learn_object(const Trace& trace, const Event& e, uint32_t object, uint32_t mutex);
  bool take(uint32_t slot, uint16_t flags, uint32_t woken);
  std::optional<uint32_t> decide(Director& director);
  uint32_t signal(const Director& director, uint32_t slot);
  static uint64_t beginning(ThreadId id) { return name_of(mix(id, 0xB0A2)); }
  static uint64_t name_of(uint64_t hash) { return hash == 0 ? 1 : hash; }

  StepTable<Step> steps_;
  std::vector<Step*> last_;  // of each thread of the run that is being learnt
  std::unordered_set<uint64_t> orders_;
  std::unordered_map<ObjectId, uint32_t> objects_;  // the model's numbers
  RunState start_;
  std::deque<uint64_t> begun_;                    // where each run that is not learnt yet comes to something new; 0 = it does not
  std::unordered_map<uint64_t, size_t> reached_;  // the same, counted
  uint64_t tested_ = 0, right_ = 0, wrong_ = 0;
  uint64_t spent_ = 0, earned_ = 0;  // events forecast, and events of runs that were made
  size_t most_threads_ = 1;
  bool usable_ = true;
  const bool exact_;

  // The run that is being forecast.
  OrderWalk walk_;
  std::vector<Actor> threads_;
  RunState now_;
  std::vector<Candidate> candidates_;  // its live threads, in order
  std::vector<uint32_t> able_;
  std::vector<PolicyThread> policy_threads_;
  std::vector<std::byte> block_;
  uint32_t current_ = kNobody;
  uint64_t step_ = 0;
  uint64_t news_ = 0;   // names where the run came to something new, if it did
  uint64_t asked_ = 0;  // the same of the plan that was asked about last
};

}  // namespace heddle::search
