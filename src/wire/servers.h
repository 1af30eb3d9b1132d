#pragma once
// The part of the channel that says which processes wait for plans: the fork server, before the first thread, and snapshots, at points
// in the middle of runs.
#include "wire/channel.h"

namespace heddle {

enum class RowState : uint32_t { kNone = 0, kPreparing, kReady, kRefused };

struct ServerRow {
  RowState state;  // futex of the run that makes a snapshot
  int32_t pid;
  uint32_t door;  // futex: set to `Control::command` when the request is for this one
  uint32_t spare;
  uint64_t step;       // events executed
  int64_t offsets[3];  // of the standard streams
};
// Empties a row whose server has been told to die. It and its children may live on for a moment: what they wait at must not move, or
// they would take that for a request.
inline void vacate(ServerRow& row) {
  row.state = RowState::kNone;
  row.pid = 0;
  row.step = 0;
  for (int64_t& offset : row.offsets) offset = 0;
}
inline constexpr uint32_t kMaxServers = 16;  // row 0 is the fork server

// The run shall leave a snapshot in that row after so many events.
struct SnapshotOrder {
  uint64_t step;
  uint32_t row;
  uint32_t spare;
};
inline constexpr uint32_t kMaxOrders = 4;

struct ServerTable {
  uint64_t cursor;        // slices of the plan that the asked server has behind it
  uint64_t fork_ns;       // what the last fork took
  uint64_t last_events;   // of the run before
  uint64_t without_fork;  // runs made by a child that had made one before
  uint32_t mark;          // the last system call for which a child had to end with its run
  uint32_t last_threads;
  uint32_t fork_for_it;  // the request wants a process of its own
  uint32_t order_count;
  SnapshotOrder orders[kMaxOrders];  // by step
  char common[40];                   // what the server has that all its runs would share, in words; empty: nothing
  ServerRow rows[kMaxServers];
};

inline constexpr uint64_t kServersOffset = 1024;
static_assert(sizeof(Control) <= kServersOffset && kServersOffset + sizeof(ServerTable) <= kControlSize);
inline ServerTable& servers_of(Control* control) {
  return *reinterpret_cast<ServerTable*>(reinterpret_cast<char*>(control) + kServersOffset);
}

}  // namespace heddle
