#pragma once
// A run whose events and inputs the tool takes away while it goes on (StreamBlock in wire/channel.h), so that it can be of any length.
#include <stdint.h>

namespace heddle::rt {

// Are they streamed from now on? Before the run is claimed they lie in memory of its own.
bool is_streaming();
// The run is claimed: its events and inputs so far, which lie in `own`, go the way of all others.
void begin_stream(const char* own);
// Waits until an event more has room. Returns up to which step there is some.
uint64_t wait_for_event_room();
// Where the next record of so many bytes goes, or nullptr: no ring could hold it.
char* input_room(uint64_t bytes);
// What was written so far is whole.
void inputs_are_whole();

}  // namespace heddle::rt
