#pragma once
// Descriptors that can block or that carry something between threads: which they are, whom they reach, and whether they are ready.
#include <stdint.h>

#include "runtime/engine/waits.h"
#include "wire/ids.h"

namespace heddle::rt {

enum class Reach : uint8_t {
  kPlain,    // files and the like: never blocks, no point
  kInside,   // both ends belong to this process
  kShared,   // made by this process, but a child of it has the other end too
  kForeign,  // inherited, or connected to somebody else
};

struct DescriptorInfo {
  Reach reach;
  bool socket;
  bool stream;  // FIFO, terminal or other character device
  bool random;  // /dev/random, /dev/urandom
  int name;     // the descriptor that names both ends
};
DescriptorInfo describe(int fd);
bool is_blocking(int fd);
bool is_epoll_set(int fd);
// Are these bytes from a signalfd? Then they say which process sent the signal.
bool tells_of_signals(int fd, const DescriptorInfo& info, long bytes);
// SO_RCVTIMEO or SO_SNDTIMEO, in nanoseconds; 0 = none.
uint64_t socket_timeout(int fd, bool sends);
ObjectId descriptor_object(const DescriptorInfo& info);

// In a forked child: what was made before the fork its parent has, too.
void parent_has_all();

// The two ends of a pipe or socketpair, made by this process; or one end and itself.
void made_inside(int fd, int name);
int name_of_made(uint64_t inode);  // -1: it is none of these

// Does what is read from it come from another process? A pipe of our own that a child has too is ours while we hold both ends.
bool is_input(int fd, const DescriptorInfo& info);

bool descriptors_ready(const DescriptorWait& wait);
// Could something outside this process make it ready?
bool reaches_outside(const DescriptorWait& wait);
// Is it for an eventfd, a signalfd or a message queue while the program has a child? The child of a replay does the same again.
bool child_may_end(const DescriptorWait& wait);

bool child_ready(const ChildWait& wait);

}  // namespace heddle::rt
