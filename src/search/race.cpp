#include "search/make.h"
#include "search/profile.h"

namespace heddle::search {

namespace {

// Race-directed random testing (Sen, PLDI 2008), over data races and lock contentions (Jalbert & Sen 2010, section 5): the pairs of sites that met or
// could have met on one object in the runs so far are taken in turn; one run waits at one pair for the threads to meet.
class Race final : public Search {
 public:
  explicit Race(const SearchOptions& options) : options_(options) {}

  std::optional<Plan> propose() override {
    if (next_ == 0) {
      ++next_;
      return plan_with(options_, PolicyKind::kStay, 0);
    }
    if (profile_.empty()) return std::nullopt;
    Plan plan = plan_with(options_, PolicyKind::kRace, next_);
    plan.tail.stay = next_ % 3 == 0 ? 0x8000 : 0xF000;
    if (!profile_.meetings().empty()) {
      const Meeting& meeting = profile_.meetings()[turn_ % profile_.meetings().size()];
      // A pair of sites is Sen's target; the whole object lets other sites join in.
      if (next_ % 2 == 1) {
        plan.marks = {meeting.a, meeting.b};
        if (meeting.a == meeting.b) plan.marks.pop_back();
      } else {
        plan.marks = {meeting.object};
      }
      turn_ += next_ % 2 == 0 ? 1 : 0;
    }
    ++next_;
    return plan;
  }
  void observe(size_t index, const Trace& trace) override {
    if (index < 64 || index % 16 == 0) profile_.add(trace);
  }

 private:
  SearchOptions options_;
  Profile profile_;
  uint64_t next_ = 0;
  uint64_t turn_ = 0;
};

constexpr SearchRow kRaceSearch{80, "race", "threads wait for each other at racing or contended operations",
                                "Sen 2008; Jalbert & Sen 2010, section 5",
                                [](const SearchOptions& options) -> std::unique_ptr<Search> { return std::make_unique<Race>(options); }};
HEDDLE_ROW(searches, kRaceSearch);

}  // namespace

}  // namespace heddle::search
