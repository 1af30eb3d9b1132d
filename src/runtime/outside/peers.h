#pragma once
// Who is at the other end of a descriptor: names that hold over runs. And, in a run that is given a part of a recording (InputMode::kByPeer), the peers
// themselves: what each says next, whether a descriptor is ready, what a poll or a set of descriptors reports.
#include <poll.h>
#include <sys/epoll.h>

#include "runtime/outside/input_log.h"

namespace heddle::rt {

// kNoPeer: nothing is open there, or the number is too high for our table.
PeerId peer_of(int fd);
void name_peer(int fd, PeerId peer);
PeerId next_accepted();  // the name of a connection that the program accepts

// --- while peers are played
// It has been quiet for longer than the recorded run ever was: where only time-outs are left, nothing more is to be waited for.
bool peers_are_silent();
// The next answer. False: there is none, and the caller does what the kernel would.
bool play_call(Op op, const Filled& filled, long* result, const Reaching& reaching);
bool has_answer(Op op, const Reaching& reaching);
bool peers_ready(const DescriptorWait& wait);
long poll_peers(pollfd* fds, nfds_t count);
long wait_for_peers(int epoll, epoll_event* events, int room);
// A member of a set that leads outside is known to us alone: what stands in for it is ready in ways of its own. False: it is the kernel's.
bool change_member(int epoll, int operation, int fd, const epoll_event* event, long* result);

}  // namespace heddle::rt
