#pragma once
// A program whose code announces nothing, run by the Valgrind tool (wire/access_ring.h): what the tool tells of is given to the detector of
// races as if the program had announced it, at the thread's next event or before the memory gets another meaning.
#include <stdint.h>

#include "runtime/engine/thread.h"

namespace heddle::rt {

// At the start of the program. Sets g_watched where the tool is there and the plan wants races.
void ask_for_ring();
// The plan of a run is there.
void begin_ring();
// An event of this thread was recorded: it is the one that runs.
void ring_event(const ThreadSlot& thread);
// Gives to the detector what the thread that runs has accessed since its last event.
void take_accesses();
// The runtime's own word of an access, which is no instruction of the program's.
void ring_access(const void* address, size_t size, bool writes);
// The program's code looks at this word itself before it calls the library.
void ring_guard(const void* address);
// Behind the call of the program's own code that led to the call that returns to `pc`: that itself, or one further out. nullptr: none is known.
const void* own_caller(const void* pc);
// What lies from `begin` up to `end` is a copy of the program's instruction at `original`.
void ring_copy(uintptr_t begin, uintptr_t end, uintptr_t original);
// The memory is new: neither who wrote it nor whether locked instructions have touched it counts any more.
void ring_forget(uintptr_t start, size_t size);

}  // namespace heddle::rt
