#include "runtime/outside/peers.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "runtime/base/placement.h"
#include "runtime/base/sys.h"
#include "runtime/outside/descriptor_facts.h"
#include "runtime/outside/descriptors.h"

namespace heddle::rt {

namespace {

constexpr int kMostNamed = 16384;
struct Named {
  uint64_t inode;
  PeerId peer;
};
HEDDLE_APART Named g_named[kMostNamed];  // by descriptor
int g_named_end;
uint32_t g_accepted;

// How far the run has come in what one peer says, or takes.
struct Cursor {
  ThreadId key;  // 0: free
  uint32_t next;
  uint32_t taken;  // bytes of the next one
};
constexpr uint32_t kCursors = 32768;
HEDDLE_APART Cursor g_cursors[kCursors];

Cursor* cursor_of(ThreadId key) {
  uint32_t at = static_cast<uint32_t>(mix(key, 7)) % kCursors;
  for (uint32_t tries = 0; tries < kCursors; ++tries, at = (at + 1) % kCursors) {
    Cursor& c = g_cursors[at];
    if (c.key == key) return &c;
    if (c.key != 0) continue;
    c.key = key;
    return &c;
  }
  return nullptr;
}

const InputRecord* next_answer(const Cursor& c) { return recorded_answer(c.key, c.next); }

bool says_nothing(const InputRecord& r) { return r.result == -EAGAIN; }

// Has the peer something to say? What was recorded as "nothing yet" only parts two messages.
const InputRecord* next_said(PeerCall call, PeerId peer, Cursor** at) {
  Cursor* c = cursor_of(peer_key(call, peer));
  *at = c;
  if (c == nullptr) return nullptr;
  for (uint32_t n = c->next;; ++n) {
    const InputRecord* r = recorded_answer(c->key, n);
    if (r == nullptr || !says_nothing(*r)) return r;
  }
}

void go_on(Cursor* c) {
  ++c->next;
  c->taken = 0;
}

bool play_read(const Reaching& reaching, const Filled& filled, long* result) {
  Cursor* c = nullptr;
  const InputRecord* said = next_said(PeerCall::kRead, peer_of(reaching.fd), &c);
  *result = -EAGAIN;
  if (said == nullptr) return true;
  const InputRecord* r = next_answer(*c);
  if (says_nothing(*r) && !reaching.waits) {
    go_on(c);
    return true;
  }
  while (says_nothing(*next_answer(*c))) go_on(c);
  r = said;
  // The end of a stream stays its end.
  if (r->result == 0) {
    *result = give_answer(*r, filled, 0, 0);
    return true;
  }
  // A long answer lies in several records: each is one of its own here.
  const uint64_t size = contents_of(*r);
  size_t besides = 0;  // who sent it, and the like
  for (size_t i = 0; i < filled.whole; ++i) besides += filled.pieces[i].iov_base != nullptr ? filled.pieces[i].iov_len : 0;
  const bool plain = r->result > 0 && size != 0 && filled.unit == 1 && besides == 0 && size <= static_cast<uint64_t>(r->result);
  if (!plain) {
    *result = give_answer(*r, filled, 0, ~uint64_t{0});
    go_on(c);
    return true;
  }
  *result = give_answer(*r, filled, c->taken, size - c->taken);
  c->taken += static_cast<uint32_t>(*result);
  if (c->taken >= size || *result == 0) go_on(c);
  return true;
}

// Writes go through whole but where the recorded one failed.
bool play_write(const Reaching& reaching, long* result) {
  Cursor* c = cursor_of(peer_key(PeerCall::kWrite, peer_of(reaching.fd)));
  *result = static_cast<long>(reaching.want);
  const InputRecord* r = c != nullptr ? next_answer(*c) : nullptr;
  if (r == nullptr) return true;
  if (r->result < 0 && !says_nothing(*r)) *result = r->result;
  go_on(c);
  return true;
}

bool play_accept(const Reaching& reaching, const Filled& filled, long* result) {
  Cursor* c = nullptr;
  const InputRecord* r = next_said(PeerCall::kAccept, peer_of(reaching.fd), &c);
  *result = -EAGAIN;
  if (r == nullptr) return true;
  if (says_nothing(*next_answer(*c)) && !reaching.waits) {
    go_on(c);
    return true;
  }
  while (says_nothing(*next_answer(*c))) go_on(c);
  give_answer(*r, filled, 0, ~uint64_t{0});
  *result = r->result;
  go_on(c);
  if (r->result < 0) return true;
  InputPeer peer;
  *result = sys(SYS_socket, AF_UNIX, SOCK_STREAM | reaching.flags, 0);
  if (*result >= 0 && peer_in(*r, &peer)) {
    forget_descriptor(static_cast<int>(*result));
    name_peer(static_cast<int>(*result), peer.made);
  }
  return true;
}

// The last answer holds for whoever asks again.
bool play_state(ThreadId key, const Filled& filled, long* result) {
  Cursor* c = cursor_of(key);
  if (c == nullptr) return false;
  const InputRecord* r = next_answer(*c);
  if (r == nullptr && c->next != 0) r = recorded_answer(key, c->next - 1);
  if (r == nullptr) return false;
  *result = give_answer(*r, filled, 0, ~uint64_t{0});
  if (next_answer(*c) != nullptr) go_on(c);
  return true;
}

short peer_events(int fd, short wanted) {
  const PeerId peer = peer_of(fd);
  short events = 0;
  Cursor* c = nullptr;
  const InputRecord* r = next_said(PeerCall::kRead, peer, &c);
  if (r == nullptr) r = next_said(PeerCall::kAccept, peer, &c);
  if (r != nullptr) {
    events |= POLLIN | POLLRDNORM;
    if (r->result == 0) events |= POLLRDHUP;
  }
  events |= POLLOUT | POLLWRNORM;
  return static_cast<short>(events & wanted);
}

bool is_played(int fd) { return describe(fd).reach == Reach::kForeign; }

// --- sets of descriptors
struct Member {
  uint64_t inode;
  epoll_event asked;
  int epoll;  // -1: free
  int fd;
  uint32_t told;  // edge-triggered: the place in what the peer says that was reported, and 1
  bool told_out;
  bool silent;  // reported once, and not asked for again
};
constexpr uint32_t kMostMembers = 16384;
HEDDLE_APART Member g_members[kMostMembers];
uint32_t g_member_end;

Member* member_of(int epoll, int fd) {
  for (uint32_t i = 0; i < g_member_end; ++i) {
    Member& m = g_members[i];
    if (m.epoll != epoll || m.fd != fd || m.inode == 0) continue;
    if (facts_of(fd)->inode == m.inode) return &m;
    m.inode = 0;  // it was closed
  }
  return nullptr;
}

Member* free_member() {
  for (uint32_t i = 0; i < g_member_end; ++i) {
    if (g_members[i].inode == 0) return &g_members[i];
  }
  return g_member_end < kMostMembers ? &g_members[g_member_end++] : nullptr;
}

uint32_t place_in(int fd) {
  const PeerId peer = peer_of(fd);
  const Cursor* reads = cursor_of(peer_key(PeerCall::kRead, peer));
  const Cursor* accepts = cursor_of(peer_key(PeerCall::kAccept, peer));
  return 1 + (reads != nullptr ? reads->next : 0) + (accepts != nullptr ? accepts->next : 0);
}

// What is to be reported of it now; marks it as reported if wanted.
uint32_t report(Member& m, bool mark) {
  if (m.silent) return 0;
  const auto wanted = static_cast<short>(m.asked.events & (EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLRDNORM | EPOLLWRNORM));
  auto events = static_cast<uint32_t>(static_cast<unsigned short>(peer_events(m.fd, wanted)));
  if ((m.asked.events & EPOLLET) != 0) {
    const uint32_t in = EPOLLIN | EPOLLRDNORM | EPOLLRDHUP, out = EPOLLOUT | EPOLLWRNORM;
    const bool new_in = (events & in) != 0 && m.told != place_in(m.fd);
    const bool new_out = (events & out) != 0 && !m.told_out;
    if (!new_in && !new_out) return 0;
  }
  if (events == 0 || !mark) return events;
  if ((events & (EPOLLIN | EPOLLRDHUP | EPOLLRDNORM)) != 0) m.told = place_in(m.fd);
  if ((events & (EPOLLOUT | EPOLLWRNORM)) != 0) m.told_out = true;
  if ((m.asked.events & EPOLLONESHOT) != 0) m.silent = true;
  return events;
}

bool is_member_of(const Member& m, int epoll) { return m.inode != 0 && m.epoll == epoll && facts_of(m.fd)->inode == m.inode; }

bool set_ready(int epoll) {
  for (uint32_t i = 0; i < g_member_end; ++i) {
    if (is_member_of(g_members[i], epoll) && report(g_members[i], false) != 0) return true;
  }
  return false;
}

}  // namespace

PeerId peer_of(int fd) {
  if (fd < 0 || fd >= kMostNamed) return kNoPeer;
  const DescriptorFacts* facts = facts_of(fd);
  if (facts->mode == kNoFile) return kNoPeer;
  const uint64_t inode = facts->inode;
  if (g_named[fd].inode == inode) return g_named[fd].peer;
  for (int i = 0; i < g_named_end; ++i) {
    if (g_named[i].inode != inode) continue;  // another number of the same file
    name_peer(fd, g_named[i].peer);
    return g_named[i].peer;
  }
  name_peer(fd, own_descriptor(g_current->id, ++g_current->peers));
  return g_named[fd].peer;
}

void name_peer(int fd, PeerId peer) {
  if (fd < 0 || fd >= kMostNamed) return;
  g_named[fd] = {facts_of(fd)->inode, peer};
  if (fd >= g_named_end) g_named_end = fd + 1;
}

PeerId next_accepted() { return kAcceptedPeer | ++g_accepted; }

bool play_call(Op op, const Filled& filled, long* result, const Reaching& reaching) {
  switch (reaching.call) {
    case PeerCall::kRead: return play_read(reaching, filled, result);
    case PeerCall::kWrite: return play_write(reaching, result);
    case PeerCall::kAccept: return play_accept(reaching, filled, result);
    case PeerCall::kConnect:
      if (!play_state(peer_key(PeerCall::kConnect, peer_of(reaching.fd)), filled, result)) *result = 0;
      return true;
    case PeerCall::kState: return play_state(peer_key(PeerCall::kState, peer_of(reaching.fd)), filled, result);
    case PeerCall::kNone:
    case PeerCall::kOwn: {
      Cursor* c = cursor_of(peer_key(PeerCall::kOwn, own_peer(g_current->id, op)));
      const InputRecord* r = c != nullptr ? next_answer(*c) : nullptr;
      if (r == nullptr) return false;
      *result = give_answer(*r, filled, 0, ~uint64_t{0});
      go_on(c);
      return true;
    }
  }
  return false;
}

bool has_answer(Op op, const Reaching& reaching) {
  Cursor* c = nullptr;
  if (reaching.call == PeerCall::kRead) return next_said(PeerCall::kRead, peer_of(reaching.fd), &c) != nullptr;
  c = cursor_of(peer_key(PeerCall::kOwn, own_peer(g_current->id, op)));
  return c != nullptr && next_answer(*c) != nullptr;
}

long poll_peers(pollfd* fds, nfds_t count) {
  long ready = 0;
  for (nfds_t i = 0; i < count; ++i) {
    pollfd& p = fds[i];
    p.revents = 0;
    if (p.fd < 0) continue;
    if (is_played(p.fd)) {
      p.revents = peer_events(p.fd, p.events);
    } else {
      const timespec now{0, 0};
      sys(SYS_ppoll, &p, 1, &now, nullptr, 8);
      if (is_epoll_set(p.fd) && set_ready(p.fd)) p.revents = static_cast<short>(p.revents | (p.events & POLLIN));
    }
    if (p.revents != 0) ++ready;
  }
  return ready;
}

bool peers_ready(const DescriptorWait& wait) {
  for (nfds_t i = 0; i < wait.count; ++i) {
    pollfd one{wait.fds[i].fd, wait.fds[i].events, 0};
    if (poll_peers(&one, 1) != 0) return true;
  }
  return false;
}

long wait_for_peers(int epoll, epoll_event* events, int room) {
  long found = sys(SYS_epoll_pwait, epoll, events, room, 0, nullptr, 8);
  if (found < 0) return found;
  for (uint32_t i = 0; i < g_member_end && found < room; ++i) {
    Member& m = g_members[i];
    if (!is_member_of(m, epoll)) continue;
    const uint32_t now = report(m, true);
    if (now != 0) events[found++] = {now, m.asked.data};
  }
  return found;
}

bool change_member(int epoll, int operation, int fd, const epoll_event* event, long* result) {
  if (!plays_peers() || !is_played(fd)) return false;
  Member* m = member_of(epoll, fd);
  *result = 0;
  if (operation == EPOLL_CTL_ADD) {
    if (m != nullptr) {
      *result = -EEXIST;
      return true;
    }
    m = free_member();
    if (m == nullptr) return false;
  } else if (m == nullptr) {
    *result = -ENOENT;
    return true;
  }
  if (operation == EPOLL_CTL_DEL) {
    m->inode = 0;
  } else {
    *m = {facts_of(fd)->inode, *event, epoll, fd, 0, false, false};
  }
  return true;
}

}  // namespace heddle::rt
