#pragma once
// What comes into the run from outside is recorded in the channel; a replay takes it from the recording, with the peer gone and the
// file deleted.
#include <signal.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "runtime/engine/run.h"
#include "runtime/outside/descriptors.h"

namespace heddle::rt {

// What a call writes: `whole` pieces that are written as they are, then those of which its result, times `unit`, says how much.
struct Filled {
  const iovec* pieces;
  size_t count;
  size_t whole;
  size_t unit;
};

// On which descriptor a call reaches outside, and how.
struct Reaching {
  int fd = -1;
  PeerCall call = PeerCall::kNone;
  bool waits = false;  // until there is an answer
  uint64_t want = 0;   // a write: so many bytes
  int flags = 0;       // an accept: of the new descriptor
};

void install_inputs();   // with each plan
bool replays_inputs();   // the plan brings a log of calls
bool replays_exactly();  // and it is for this very schedule
bool plays_peers();      // and it is part of a recording: outside/peers.h
// Is what every wait for an epoll set gives recorded, whoever made it ready? So in a plain run and in its replay: who is in the set may change
// while a thread waits for it.
bool records_sets();
// Which process of the program the recording is about: begin.cpp. nullptr: the first one.
inline constexpr uint32_t kMostBranches = 16;
struct Branches {
  uint32_t count;
  uint64_t names[kMostBranches];
  uint64_t image;          // the program that it runs: a script's shell is another
  struct stat streams[3];  // what the first descriptors are: a replay has others
};
const Branches* recorded_branches();
void log_branches(Branches branches);
// As the recording saw it, if the descriptor is still the stream that the program was started with.
const struct stat* recorded_stream(int fd);

// Records of the clock (clock_log.h). nullptr: there is none, or the arena is full.
const InputRecord* recorded_clock(uint32_t ordinal);
// An empty one with room for so many bytes, which grows as long as it is the last record of the log: until the next one of whatever kind.
InputRecord* new_clock_record(uint32_t ordinal, uint32_t most);
bool is_last(const InputRecord* record);
void add_to_last(const void* bytes, uint32_t size);

// Would the thread's next call not block? Asks the recording where there is one.
bool wait_over(const ThreadSlot& thread, const DescriptorWait& wait);

bool has_recorded(Op op, const Reaching& reaching = {});  // for the current thread's next call
// The recorded answer to the current thread's next call that reaches outside. False: there is none, the world is asked.
bool take_input(Op op, const Filled& filled, long* result, const Reaching& reaching = {});
void log_input(Op op, const Filled& filled, long result, const Reaching& reaching = {});

// What lies in the recording under a name: a thread's, or peer_key. nullptr: nothing.
const InputRecord* recorded_answer(ThreadId name, uint32_t ordinal);
// How many bytes the call wrote, and who is at the other end.
uint64_t contents_of(const InputRecord& record);
bool peer_in(const InputRecord& record, InputPeer* peer);
// Puts it where the call would have: its bytes from `from` on, no more than `most`. Returns the result, or how many bytes that were.
long give_answer(const InputRecord& record, const Filled& filled, uint64_t from, uint64_t most);

// A call that reaches outside: performed and recorded, or taken from the recording.
template <typename Call>
long input_call(Op op, const Filled& filled, Call call, const Reaching& reaching = {}) {
  long result = 0;
  if (!replays_inputs() || !take_input(op, filled, &result, reaching)) result = call();
  log_input(op, filled, result, reaching);
  return result;
}

// A signal from another process, and where the run took it.
struct OutsideSignal {
  siginfo_t info;
  uint64_t step;
  uint64_t clock;
  ThreadId thread;  // that was at a point of its own, before this site; or one of those below
  SiteId site;
};
inline constexpr ThreadId kNobodyRan = kNoThread;             // every thread waited
inline constexpr ThreadId kFoundPending = ~ThreadId{0} - 1;   // every thread blocks it, and one asked what is pending
inline constexpr ThreadId kBetweenPoints = ~ThreadId{0} - 2;  // it killed a program that came to no point for a second: no event
const OutsideSignal* recorded_signal();                       // the next one, or nullptr
bool signal_is_due(const OutsideSignal& s, ThreadId thread, SiteId site);
void pass_signal();         // under another schedule: the next one is the one after it
bool has_childs_signals();  // the recording has the signals of the program's own children, and when they came
void log_signal(const OutsideSignal& s);
void signal_took_time();  // the clock has moved on while the last one was waited for

// Which descriptors the program was started with; a replay puts stand-ins in the places of those that the recorded run read from.
void examine_inherited();
void examine_streams();  // before any code of the program
// Before a call on it.
void used_inherited(int fd);

// The program opened a file for reading; `flags`: as it said, kNotSaid: another way.
inline constexpr int kNotSaid = -1;
void log_file(int fd, int flags = kNotSaid);

}  // namespace heddle::rt
