#pragma once
// What a failing trace shows about the switch that decides: who was stopped between what, and what the others did meanwhile.
#include <optional>
#include <string>

#include "report/diagnosis.h"

namespace heddle {

// A thread was stopped after `last` and went on with `next`; the others' events lie in between.
struct Window {
  uint32_t thread;
  size_t last;                   // event
  size_t next;                   // event, or the number of events if it never went on
  size_t other_lock = kNoDifference;  // where the others take the first of theirs
  bool different_locks = false;  // it holds locks there, the others take some, and none is the same
};
// The tested one, else the last preemption, else the last switch from which its thread came back.
std::optional<Window> deciding_window(const Trace& trace, const Cause* cause);

// Operations on the same object, or on objects that belong together: before the switch, by others in between, and after it.
struct Triple {
  size_t before = kNoDifference, between = kNoDifference, after = kNoDifference;
  bool written_between = false;
};
Triple best_triple(const Trace& trace, const Window& window);

// Signals that woke nobody, or woke one while another still waits for ever.
struct WakeUps {
  size_t lost = kNoDifference;
  size_t misdirected = kNoDifference;
};
WakeUps wake_ups(const Trace& trace);

std::vector<WaitEdge> wait_edges(Names& names);

std::string wait_sentence(Names& names, const WaitEdge& edge);
std::string triple_sentence(Names& names, const Window& window, const Triple& triple);
std::string claim_sentence(Names& names, const Cause& cause);
// "T1 reads x at a.c:5"
std::string cause_event_words(Names& names, const CauseEvent& event, bool with_place);
// The preemptions in words: who was stopped after what, and who ran.
std::string switches_sentence(Names& names);
// The first line, absolute paths without their directories, at most `width` characters.
std::string plain_line(const std::string& text, size_t width);

}  // namespace heddle
