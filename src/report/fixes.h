#pragma once
// What to change, and where, against an interleaving: derived from the operations around the deciding switch.
#include <optional>

#include "report/case.h"
#include "report/evidence.h"

namespace heddle::report {

// For the class that d.kind names.
std::string interleaving_fix(const Case& c, const Window& window, const Triple& triple);
// The thread of `late` had set what let that of `early` come to the object before it was complete: two events.
struct Published {
  size_t set, found;
  bool pointer;  // to the object; else a flag, a count or an index for which the other had waited
};
std::optional<Published> published_early(const Case& c, const CauseEvent& early, const CauseEvent& late);
// `early` came before `late` and must not: events, or the next operation of a thread.
std::string order_fix(const Case& c, const CauseEvent& early, const CauseEvent& late);

}  // namespace heddle::report
