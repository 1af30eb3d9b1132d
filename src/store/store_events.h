#pragma once
#include <vector>

#include "store/store_bytes.h"
#include "wire/event.h"

namespace heddle::store {

void write_events(ByteWriter& out, const std::vector<Event>& events);
// Makes in.ok() false for anything that write_events cannot have written for so many threads.
std::vector<Event> read_events(ByteReader& in, size_t thread_count);

}  // namespace heddle::store
