#pragma once
#include "store/store_bytes.h"
#include "trace/long_rows.h"
#include "wire/event.h"

namespace heddle::store {

void write_events(ByteWriter& out, const LongRows<Event>& events);
// Makes in.ok() false for anything that write_events cannot have written for so many threads.
LongRows<Event> read_events(ByteReader& in, size_t thread_count);

}  // namespace heddle::store
