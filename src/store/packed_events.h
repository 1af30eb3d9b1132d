#pragma once
// Events of a run that goes on, as they are written to its recording: by what is not as it was the last time a thread came along the same way. Made in one
// pass, in some nanoseconds an event, because the program may have to wait for it. What becomes a bug is stored otherwise (store/store_events.h).
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wire/event.h"

namespace heddle::store {

// Nothing where an event's thread is none that a run can have.
std::string pack_events(std::span<const Event> events);
// False: it is damaged.
bool unpack_events(std::string_view packed, std::vector<Event>& events);

}  // namespace heddle::store
