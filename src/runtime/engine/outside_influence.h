#pragma once
// While it is asked whether a run repeats itself (repeated_state.h): does the program get to know anything from outside of its memory and
// its threads? A system call, a look at a clock, the processor's counter: whoever has one of these may go on another way the next time.
#include <signal.h>

#include "runtime/base/call_effects.h"

namespace heddle::rt {

struct ThreadSlot;

extern bool g_influence_watched;  // declared for sys.h, too

// Sees all that the calling thread does from now on, until stop_watching_influence(). False where the system cannot do that.
bool watch_influence(ThreadSlot* me);
void stop_watching_influence(ThreadSlot* me);

// Something was seen: `what` finishes the sentence "..., but". Nothing where nobody asks.
void disturbed(const char* what);
inline constexpr const char* kLooksOutside = "something may come from outside the program";
const char* disturbance();  // since the last clear_disturbance(); nullptr: none
void clear_disturbance();

// A dispatched system call (SIGSYS with this code), made by the program.
inline constexpr int kDispatched = 2;  // SYS_USER_DISPATCH
void saw_call();
// For the length of calls that are made to find out about the run, and not for it.
class OwnCalls {
 public:
  OwnCalls();
  ~OwnCalls();
  OwnCalls(const OwnCalls&) = delete;
  OwnCalls& operator=(const OwnCalls&) = delete;
};
// A fault that is nothing but a look at the processor's counter, which is made possible again.
bool is_counter_read(int number, void* context);

}  // namespace heddle::rt
