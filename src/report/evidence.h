#pragma once
// What a failing trace shows about the switch that decides: who was stopped between what, and what the others did meanwhile.
#include <optional>
#include <string>

#include "report/diagnosis.h"

namespace heddle::report {

// A thread was stopped after `last` and went on with `next`; the others' events lie in between.
struct Window {
  uint32_t thread;
  size_t last;                        // event
  size_t next;                        // event, or the number of events if it never went on
  size_t other_lock = kNoDifference;  // where the others take the first of theirs
  size_t own_lock = kNoDifference;    // where it took the last of those that it holds
  bool different_locks = false;       // it holds locks there, the others take some, and none is the same
  bool common_lock = false;           // it has held, before, one that the others take
};
// The tested one, else the last preemption, else the last switch from which its thread came back.
std::optional<Window> deciding_window(const Trace& trace, const Cause* cause);

// Operations on the same object, or on objects that belong together: before the switch, by others in between, and after it.
struct Triple {
  size_t before = kNoDifference, between = kNoDifference, after = kNoDifference;
  bool written_between = false;
};
// `cause`, where it is this window's, says which operations decide: those at its edges, if others touched what they are about.
Triple best_triple(const Trace& trace, const Window& window, const Cause* cause);

// The window opens where the thread released a lock, and it failed after that before any other operation of its own.
bool failed_after_release(const Trace& trace, const Window& window);

std::string triple_sentence(Names& names, const Window& window, const Triple& triple);
// Empty where the runs bear out no claim.
std::string claim_sentence(Names& names, const Cause& cause);
// Each order of the set that is enough together: "T2 writes x (a.c:9) between a.c:5 and a.c:6 of T1.  [without it 4 of 6 pass]". Empty where the
// one claim says it all.
std::string parts_sentence(const Cause& cause);  // what stands above them, with how often they were tested together
std::vector<std::string> part_sentences(Names& names, const Cause& cause);
// From where on nothing could have saved the run. `passing`: is a run known that passes?
std::string doomed_sentence(Names& names, const DoomedPoint& doomed, bool passing);
// "T1 reads x at a.c:5"
std::string cause_event_words(Names& names, const CauseEvent& event, bool with_place);
// Variables of the program that the failed assertion speaks of, the first first. Calls and macros in capitals are none.
std::string asserted_variable(const std::string& expression);
// Does the assertion say in so many words that something was to be there still: alive, not freed, not closed?
bool speaks_of_end(const std::string& expression);
// The preemptions in words: who was stopped after what, and who ran.
std::string switches_sentence(Names& names);
// The first line, absolute paths without their directories, at most `width` characters.
std::string plain_line(const std::string& text, size_t width);

}  // namespace heddle::report
