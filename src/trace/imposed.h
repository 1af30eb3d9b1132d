#pragma once
// A critical section or an order that the program does not have, imposed on its runs from outside: whether it would remove a failure can be tried
// before anybody writes it.
#include <optional>
#include <string>
#include <vector>

#include "trace/trace.h"

namespace heddle::trace {

// An operation at a place of the code, whoever does it.
struct Spot {
  Op op = Op::kNone;
  SiteId site = kNoSite;

  friend bool operator==(const Spot&, const Spot&) = default;
};

enum class ImposedKind : uint8_t {
  kSection,  // from `enter` to `leave` no other thread does what is kept out
  kOrder,    // `waits` is not done before `awaited` was
};

struct Imposed {
  ImposedKind kind = ImposedKind::kSection;
  // kSection. Kept out are operations on the object of `enter`, those at `enter` itself if it is a gate, and those at `out`.
  std::vector<Spot> enter, leave, out;
  bool gate = false;
  ObjectId before = kNoObject;  // a lock taken before `enter`: kept out are `enter` itself and those on this lock instead
  // kOrder.
  Spot waits, awaited;
};

// Follows a run and says who may go on.
class ImposedState {
 public:
  explicit ImposedState(const Imposed& imposed) : imposed_(imposed) {}
  bool allows(uint32_t thread, Op op, SiteId site, ObjectId object) const;
  void step(const Event& event);

 private:
  const Imposed& imposed_;
  uint32_t owner_ = kNoIndex;
  ObjectId object_ = kNoObject;
  bool awaited_ = false;
};

// Did the run go as if it had been imposed?
bool obeys(const Trace& trace, const Imposed& imposed);

// What might remove the failure of a run, smallest first, with the operations that it speaks of: indices in the run, or in the passing run where it
// says so.
struct Remedy {
  Imposed imposed;
  enum class Form : uint8_t { kHoldLock, kTakeBefore, kTakeLock, kOneSection, kGate, kWait } form = Form::kHoldLock;
  Event from{}, to{};  // the section, or who waits and for what
  std::optional<Event>
      given_back;  // kHoldLock: where the lock is given back too early; kTakeBefore: where the lock is taken now; kTakeLock: where the other takes it
};
// `passing`: a run that passes, which has what the failing one never came to; may be null.
std::vector<Remedy> remedies(const Trace& failing, const Trace* passing);

}  // namespace heddle::trace
