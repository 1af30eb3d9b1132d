#pragma once
// What came into a run from outside: the files it read, and what calls on descriptors of other processes gave it.
#include "wire/ids.h"
#include "wire/ops.h"

namespace heddle {

enum class InputKind : uint32_t { kFile = 1, kCall = 2, kRest = 3 };  // kRest: nothing, to the end of a ring

// One of them, in a byte arena: this record, then `size` bytes (kFile: the path; kCall: what the call wrote), padded to 8.
struct InputRecord {
  InputKind kind;
  uint32_t size;
  ThreadId thread;   // kCall: whose, and... kFile: hash of the path
  uint32_t ordinal;  // ...the number of this one among its calls that reached outside, from 0
  Op op;
  uint16_t spare;
  int64_t result;  // kCall: as the system call gave it. kFile: the file's size
  uint64_t stamp;  // kCall: the step from which it would not have blocked, and kHasPeer. kFile: the time of its last change, in ns
};
static_assert(sizeof(InputRecord) == 40);

// In a stamp: behind the bytes that the call wrote, and counted in `size`, lies an InputPeer.
inline constexpr uint64_t kHasPeer = uint64_t{1} << 48;
// In a stamp: no answer, but news of a wait. It was over from the stamp's step on, when its thread gave way, and no longer at the step that `result` says:
// another thread had taken what there was.
inline constexpr uint64_t kLostWait = uint64_t{1} << 49;
constexpr uint64_t step_of_stamp(uint64_t stamp) { return stamp & (kHasPeer - 1); }

// Whose bytes they were. A descriptor that leads outside has a name that holds over runs: an accepted connection that of the recorded one, any other the
// number of such that its thread was the first to use.
using PeerId = uint32_t;
inline constexpr PeerId kNoPeer = 0;
inline constexpr PeerId kAcceptedPeer = uint32_t{1} << 31;  // set in the names of accepted connections
// The n-th descriptor that leads outside of which the thread was the first to use.
constexpr PeerId own_descriptor(ThreadId thread, uint32_t n) { return (static_cast<PeerId>(mix(thread, n)) & ~kAcceptedPeer) | 1; }
enum class PeerCall : uint32_t { kNone = 0, kRead, kWrite, kAccept, kConnect, kState, kOwn };  // kOwn: no descriptor's, the thread's own
struct InputPeer {
  PeerId peer;
  PeerId made;      // kAccept: the connection
  uint32_t number;  // the thread's own operation that it belongs to
  uint32_t order;   // among all inputs of the run
  PeerCall call;
};
static_assert(sizeof(InputPeer) == 20);

constexpr uint64_t input_record_bytes(uint64_t size) { return sizeof(InputRecord) + ((size + 7) & ~uint64_t{7}); }

// In place of the thread, in records that are no answers to calls. They come after those of all threads.
inline constexpr ThreadId kBranchInputs = ~ThreadId{0} - 3;  // which process of the program it is about
inline constexpr ThreadId kClockInputs = ~ThreadId{0} - 2;   // how the clock moved
inline constexpr ThreadId kSetInputs = ~ThreadId{0} - 1;     // says that all waits for epoll sets are recorded
inline constexpr ThreadId kSignalInputs = ~ThreadId{0};      // a signal of another process
constexpr bool came_from_outside(ThreadId thread) { return thread != kBranchInputs && thread != kClockInputs; }

// The log of calls that a run is given: this block, `count` offsets of records from the block's start, sorted by (thread, ordinal), then
// the records.
enum class InputMode : uint64_t {
  kRelaxed = 0,  // another schedule: a call finds its answer there at once
  kExact,        // the recorded schedule: a call waits until its stamp
  // A part of a recording. Answers are those of the peer, whichever thread asks: the records have `peer_key` in place of the thread. What a poll reports is
  // worked out from what the peers still have to say.
  kByPeer,
};
struct ReplayedInputs {
  uint64_t count;  // 0: the world outside is asked
  InputMode mode;
};
constexpr ThreadId peer_key(PeerCall call, PeerId peer) { return uint64_t{0xA5} << 56 | static_cast<uint64_t>(call) << 32 | peer; }
// What a thread asked of its own: in place of a peer.
constexpr PeerId own_peer(ThreadId thread, Op op) { return static_cast<PeerId>(mix(thread, static_cast<uint64_t>(op) + 1)); }

inline constexpr uint64_t kInputBytes = uint64_t{512} << 20;  // of each arena of calls; address space, memory only as far as it is used
inline constexpr uint64_t kFileBytes = uint64_t{4} << 20;     // of the arena of files

}  // namespace heddle
