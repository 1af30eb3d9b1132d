#pragma once
// What a pending operation waits for where one address does not say it: Pending::address and Pending::second point to these.
#include <poll.h>

namespace heddle::rt {

// A call that waits, made without waiting: where its thread goes on at once if it can, the call itself says whether it would have waited, and the kernel need
// not be asked before.
struct TriedCall {
  bool (*make)(TriedCall&);  // false: it would have waited, and nothing has happened
  bool made;                 // it is: the operation's event comes next, and this is what it returned
  long result;
};

// What an operation on descriptors waits for: any of these.
struct DescriptorWait {
  pollfd* fds;
  nfds_t count;
  bool outside;        // what comes is input to the run: recorded, or taken from a recording
  bool polls = false;  // the operation only asks, and does not block where nothing has come after all
  TriedCall* tried = nullptr;
};

struct ChildWait {
  int type;               // idtype_t
  int id;                 // as the kernel knows it
  int options;            // of waitid
  bool recorded = false;  // the log says from which step on it was over
};

// glibc 2.36's words of a pthread_barrier_t.
struct BarrierWords {
  unsigned in;       // arrivals, over all rounds
  unsigned current;  // arrivals that belong to a complete round
  unsigned needed;   // in a round; 0: not initialised, or destroyed
  int shared;
  unsigned out;
};

}  // namespace heddle::rt
