#pragma once
// How the clock of a run moved that goes by the machine's: recorded with its inputs, so that a replay sees the same times at the same
// places. Written as blocks of short entries: a program may look at the clock more often than it does anything else.
#include "runtime/engine/clock.h"

namespace heddle::rt {

// The recording's, for a run that is given one.
bool recorded_base(ClockBase* base);
void log_base(const ClockBase& base);

// The next entry of the recording. False: it has none of this kind here, or the schedule is another one.
bool recorded_look(uint64_t* clock);
bool recorded_value(uint64_t* value);
// Where the recording's clock had come to when it was about to decide after `step` events. `next`: the step of the one after.
bool recorded_pass(uint64_t step, uint64_t* clock, uint64_t* next);

void log_look(uint64_t clock);                 // the program looked
void log_value(uint64_t value);                // at a clock that is not the run's: processor time
void log_pass(uint64_t step, uint64_t clock);  // time passed by itself

// At a checkpoint: what is logged from here on begins a record of its own.
void end_clock_record();
// In a process that has become the checkpoint: the next entry is the first one that was logged after it.
void read_clock_from_here();

}  // namespace heddle::rt
