#pragma once
// Who waits for whom at the end of a run, and what became of the wake-ups that were sent.
#include <optional>
#include <string>
#include <vector>

#include "report/diagnosis.h"

namespace heddle::report {

std::vector<WaitEdge> wait_edges(Names& names);
// "mutex A"; "a signal", which is no object
std::string awaited(Names& names, const WaitEdge& edge);
// "T1 wants mutex A at a.c:5, which T2 has since a.c:9"
std::string wait_sentence(Names& names, const WaitEdge& edge);

// Signals that woke nobody; woke one while another still waits for ever; woke one that found nothing to do and now waits for ever.
struct WakeUps {
  size_t lost = kNoDifference;
  size_t misdirected = kNoDifference;
  size_t wasted = kNoDifference;
  bool any() const { return lost != kNoDifference || misdirected != kNoDifference || wasted != kNoDifference; }
};
WakeUps wake_ups(const Trace& trace);

// A wake-up that came too late to be true: between the signal and the moment at which the woken thread had its lock back, another took
// the lock.
struct StaleWake {
  size_t signal, taken, wake;  // events
};
// The last one of that thread before `end`.
std::optional<StaleWake> stale_wake(const Trace& trace, uint32_t thread, size_t end);

}  // namespace heddle::report
