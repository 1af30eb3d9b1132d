#pragma once
// Processes that wait for plans and fork a child for each: the fork server, just before the first thread is created, and snapshots, at
// points in the middle of a run. All of them are in a tree below the fork server, and each dies with the one above it.

#include <stdint.h>

namespace heddle::rt {

// The fork server. Returns in its children only.
void serve();

// What the process needs to know of the one that forked it, and how it becomes a server itself.
long server_above();
// `row`: its place in the channel's table. Returns in its children only.
void serve_from(uint32_t row);

// A child that takes further requests itself (rewind.h): what the server would do between two runs.
// `server`: whose row it is.
uint32_t await_request(uint32_t row, uint32_t done, long server);
bool is_plain_run();       // the request under way is for a run, and not for a process of its own
uint32_t donors_wanted();  // by the next run, if it has as many threads as the last
void finish_request(uint32_t taken, int status);
void begin_request(uint32_t row);

}  // namespace heddle::rt
