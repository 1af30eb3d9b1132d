#include "runtime/process/recreate_descriptors.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <time.h>

#include "runtime/base/placement.h"
#include "runtime/base/sys.h"
#include "runtime/engine/run.h"
#include "runtime/outside/descriptors.h"
#include "runtime/outside/uring.h"
#include "runtime/process/process_facts.h"
#include "wire/inherited.h"

namespace heddle::rt {

namespace {

enum class Kind : uint8_t { kPipe, kSocket, kListener, kEvent, kEpoll, kFile };

struct Open {
  Kind kind;
  bool close_on_exec;
  bool recreated;
  int fd;
  int flags;       // F_GETFL
  uint64_t group;  // the same for all descriptors of one object
  uint64_t inode;
  int64_t state;  // an event's count, a file's offset, the bytes that wait in a pipe or socket
  uint32_t path;  // kFile: where its path begins in g_paths
};

struct Member {  // of an epoll set
  int epoll;
  int fd;
  epoll_event event;
};

constexpr uint32_t kMaxOpen = 512;
constexpr uint32_t kMaxMembers = 512;
HEDDLE_APART Open g_open[kMaxOpen];
uint32_t g_open_count;
HEDDLE_APART Member g_members[kMaxMembers];
uint32_t g_member_count;
HEDDLE_APART char g_directory[4096];  // the working directory
HEDDLE_APART char g_paths[1 << 16];   // the first one is empty: a path that is not known
uint32_t g_paths_used = 1;

// What the fork server had open. Where it is not recreated, all executions share it anyway: the standard streams are among them.
struct Shared {
  int fd;
  uint64_t device;
  uint64_t inode;
  int64_t offset;
  int64_t size;
  timespec changed;
};
HEDDLE_APART Shared g_shared[kMaxOpen];
uint32_t g_shared_count;

Shared identity_of(int fd) {
  struct stat status;
  memset(&status, 0, sizeof status);
  sys(SYS_fstat, fd, &status);
  return {fd, status.st_dev, status.st_ino, sys(SYS_lseek, fd, 0, SEEK_CUR), status.st_size, status.st_mtim};
}

const Shared* at_the_server(const Shared& now) {
  for (uint32_t i = 0; i < g_shared_count; ++i) {
    const Shared& s = g_shared[i];
    if (s.fd == now.fd) return s.device == now.device && s.inode == now.inode ? &s : nullptr;
  }
  return nullptr;
}

bool is_shared_by_all(int fd) { return at_the_server(identity_of(fd)) != nullptr; }

// A log, say, that was inherited: nothing has come to it since.
bool is_untouched(int fd) {
  const Shared now = identity_of(fd);
  const Shared* then = at_the_server(now);
  return then != nullptr && then->offset == now.offset && then->size == now.size && then->changed.tv_sec == now.changed.tv_sec &&
         then->changed.tv_nsec == now.changed.tv_nsec;
}

bool examine_anonymous(Open* o) {
  char target[64];
  HEDDLE_APART static char text[16384];
  if (link_of(o->fd, target, sizeof target) == 0) return false;
  if (strstr(target, "[io_uring]") != nullptr) ring_is_common();
  if (info_of(o->fd, text, sizeof text) <= 0) return false;
  if (strstr(target, "[eventfd]") != nullptr) {
    EventCounter state;
    if (!parse_event(o->fd, text, &state)) return false;
    o->kind = Kind::kEvent;
    o->state = state.count;
    o->group = state.id;
    if (state.semaphore) o->flags |= EFD_SEMAPHORE;
    return true;
  }
  if (strstr(target, "[eventpoll]") != nullptr) {
    o->kind = Kind::kEpoll;
    for_each_member(text, [&](int fd, const epoll_event& event) {
      if (g_member_count == kMaxMembers) return false;
      g_members[g_member_count++] = {o->fd, fd, event};
      return true;
    });
    return true;
  }
  return false;
}

uint32_t path_of(int fd) {
  const char* to = g_paths + g_paths_used;
  const long n = link_of(fd, g_paths + g_paths_used, sizeof g_paths - g_paths_used);
  if (n == 0 || to[0] != '/') return 0;
  const uint32_t at = g_paths_used;
  g_paths_used += static_cast<uint32_t>(n) + 1;
  return at;
}

// One of a socketpair: connected, and neither end has a name.
bool is_of_pair(int fd) {
  sockaddr_storage name;
  socklen_t own = sizeof name;
  socklen_t other = sizeof name;
  return socket_option(fd, SO_DOMAIN) == AF_UNIX && sys(SYS_getsockname, fd, &name, &own) == 0 &&
         sys(SYS_getpeername, fd, &name, &other) == 0 && own <= sizeof(sa_family_t) && other <= sizeof(sa_family_t);
}

bool examine(Open* o) {
  if (o->fd == kInheritedChannel) return false;  // ours, and the same for all
  struct stat status;
  if (sys(SYS_fstat, o->fd, &status) != 0) return false;
  o->flags = static_cast<int>(sys(SYS_fcntl, o->fd, F_GETFL));
  o->close_on_exec = (sys(SYS_fcntl, o->fd, F_GETFD) & FD_CLOEXEC) != 0;
  o->inode = status.st_ino;
  const unsigned type = status.st_mode & S_IFMT;
  if ((o->flags & O_PATH) != 0) return false;
  if (type == S_IFREG) {
    // The standard streams are the tool's: it rewinds them itself.
    o->kind = Kind::kFile;
    o->state = sys(SYS_lseek, o->fd, 0, SEEK_CUR);
    if (status.st_nlink > 0) o->path = path_of(o->fd);
    return o->fd > 2;
  }
  if (type == 0) return examine_anonymous(o);
  const DescriptorInfo info = describe(o->fd);
  if (info.reach != Reach::kInside) return false;
  o->group = static_cast<uint64_t>(info.name);
  o->kind = info.socket ? Kind::kSocket : Kind::kPipe;
  int waiting = 0;
  if (sys(SYS_ioctl, o->fd, FIONREAD, &waiting) == 0) o->state = waiting;
  if (!info.socket) return type == S_IFIFO;
  if (socket_option(o->fd, SO_ACCEPTCONN) == 1) o->kind = Kind::kListener;
  return o->kind == Kind::kListener || is_of_pair(o->fd);
}

void put(const Open& o, int fresh) { sys(SYS_dup3, fresh, o.fd, o.close_on_exec ? O_CLOEXEC : 0); }

// Every descriptor of the group becomes the fresh end that fits it.
template <typename Fits>
void put_group(const Open& first, int fresh, Fits fits) {
  for (uint32_t i = 0; i < g_open_count; ++i) {
    Open& o = g_open[i];
    if (o.kind != first.kind || o.group != first.group || o.recreated || !fits(o)) continue;
    put(o, fresh);
    o.recreated = true;
  }
}

bool reads(const Open& o) { return (o.flags & O_ACCMODE) == O_RDONLY; }

void recreate_pipe(const Open& first) {
  int ends[2];
  if (sys(SYS_pipe2, ends, first.flags & (O_NONBLOCK | O_DIRECT)) != 0) return;
  const long size = sys(SYS_fcntl, first.fd, F_GETPIPE_SZ);
  if (size > 0 && size != 65536) sys(SYS_fcntl, ends[0], F_SETPIPE_SZ, size);
  for (uint32_t i = 0; i < g_open_count; ++i) {
    const Open& o = g_open[i];
    if (o.kind == Kind::kPipe && o.group == first.group && reads(o) && o.state != 0) {
      sys(SYS_tee, o.fd, ends[1], 1 << 20, 2 /* SPLICE_F_NONBLOCK */);
      break;
    }
  }
  const Open copy = first;
  put_group(copy, ends[0], reads);
  put_group(copy, ends[1], [](const Open& o) { return !reads(o); });
  sys(SYS_close, ends[0]);
  sys(SYS_close, ends[1]);
}

// What lies in the old socket is put into the new one by way of its peer.
void copy_waiting(int from, int to_peer) {
  HEDDLE_APART static char block[65536];
  const long n = sys(SYS_recvfrom, from, block, sizeof block, MSG_PEEK | MSG_DONTWAIT, nullptr, nullptr);
  if (n > 0) sys(SYS_sendto, to_peer, block, n, MSG_DONTWAIT, nullptr, 0);
}

void recreate_socketpair(const Open& first) {
  const int type = socket_option(first.fd, SO_TYPE);
  int ends[2];
  if (sys(SYS_socketpair, AF_UNIX, type | (first.flags & O_NONBLOCK), 0, ends) != 0) return;
  const uint64_t side = first.inode;
  const Open copy = first;
  for (uint32_t i = 0; i < g_open_count; ++i) {
    const Open& o = g_open[i];
    if (o.kind != Kind::kSocket || o.group != copy.group) continue;
    if (o.state != 0) copy_waiting(o.fd, o.inode == side ? ends[1] : ends[0]);
  }
  put_group(copy, ends[0], [side](const Open& o) { return o.inode == side; });
  put_group(copy, ends[1], [side](const Open& o) { return o.inode != side; });
  sys(SYS_close, ends[0]);
  sys(SYS_close, ends[1]);
}

// Its address cannot be bound twice; what an earlier execution left in its queue goes.
void drain_listener(const Open& o) {
  pollfd watched{o.fd, POLLIN, 0};
  while (descriptors_ready({&watched, 1, false}) && (watched.revents & POLLIN) != 0) {
    const long left = sys(SYS_accept4, o.fd, nullptr, nullptr, SOCK_CLOEXEC);
    if (left < 0) return;
    sys(SYS_close, left);
  }
}

void recreate_event(const Open& first) {
  const int flags = first.flags & (O_NONBLOCK | EFD_SEMAPHORE);
  const long fresh = sys(SYS_eventfd2, 0, flags);
  if (fresh < 0) return;
  if (first.state != 0) sys(SYS_write, fresh, &first.state, sizeof first.state);
  const Open copy = first;
  put_group(copy, static_cast<int>(fresh), [](const Open&) { return true; });
  sys(SYS_close, fresh);
}

void recreate_file(const Open& o) {
  char path[48];
  snprintf(path, sizeof path, "/proc/self/fd/%d", o.fd);
  const int flags = (o.flags & ~(O_CREAT | O_EXCL | O_TRUNC)) | O_CLOEXEC;
  // Where files were put back, its path names the file as it was; what is open here is the one an earlier run has written to.
  long fresh = -1;
  if (g_run.control->view_epoch != 0 && o.path != 0) fresh = sys(SYS_open, g_paths + o.path, flags, 0);
  if (fresh < 0) fresh = sys(SYS_open, path, flags, 0);
  if (fresh < 0) return;
  if (o.state > 0) sys(SYS_lseek, fresh, o.state, SEEK_SET);
  put(o, static_cast<int>(fresh));
  sys(SYS_close, fresh);
}

void recreate_epoll(const Open& o) {
  const long fresh = sys(SYS_epoll_create1, 0);
  if (fresh < 0) return;
  put(o, static_cast<int>(fresh));
  sys(SYS_close, fresh);
  for (uint32_t i = 0; i < g_member_count; ++i) {
    Member& m = g_members[i];
    if (m.epoll == o.fd) sys(SYS_epoll_ctl, o.fd, EPOLL_CTL_ADD, m.fd, &m.event);
  }
}

// `each` gets every open descriptor but the one this takes.
template <typename Each>
void for_each_descriptor(Each each) {
  const long directory = sys(SYS_open, "/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  if (directory < 0) return;
  alignas(8) char block[8192];
  for (;;) {
    const long n = sys(SYS_getdents64, directory, block, sizeof block);
    if (n <= 0) break;
    for (long at = 0; at < n;) {
      const auto* entry = reinterpret_cast<const dirent64*>(block + at);
      at += entry->d_reclen;
      if (entry->d_name[0] != '.' && atoi(entry->d_name) != static_cast<int>(directory)) each(atoi(entry->d_name));
    }
  }
  sys(SYS_close, directory);
}

// A message queue looks like a file, and is none: what one process takes from it another does not find.
bool is_message_queue(int fd) {
  constexpr long kMessageQueues = 0x19800202;
  struct statfs system;
  return sys(SYS_fstatfs, fd, &system) == 0 && system.f_type == kMessageQueues;
}

// Pipes, sockets and events hold what is under way between threads: a copy in the middle of that is not safe to give to two processes.
bool can_be_had_twice(const Open& o) {
  if (o.kind != Kind::kFile || is_message_queue(o.fd)) return false;
  // What has been written to a file is not undone for the next execution.
  return (o.flags & O_ACCMODE) == O_RDONLY || is_untouched(o.fd);
}

bool is_stateless(int fd) {
  struct stat status;
  return sys(SYS_fstat, fd, &status) == 0 &&
         ((status.st_mode & S_IFMT) == S_IFDIR || ((status.st_mode & S_IFMT) == S_IFCHR && describe(fd).reach == Reach::kPlain));
}

// False: something is open that a copy of the process cannot have for itself.
bool examine_all() {
  bool separable = true;
  g_open_count = g_member_count = 0;
  g_paths_used = 1;
  if (sys(SYS_getcwd, g_directory, sizeof g_directory) <= 0) g_directory[0] = 0;
  for_each_descriptor([&](int fd) {
    Open o{};
    o.fd = fd;
    if (fd > 2 && examine(&o)) {
      separable = separable && g_open_count < kMaxOpen && can_be_had_twice(o);
      if (g_open_count < kMaxOpen) g_open[g_open_count++] = o;
    } else {
      separable = separable && (is_shared_by_all(fd) || is_stateless(fd));
    }
  });
  return separable;
}

}  // namespace

void examine_descriptors() {
  if (sys(SYS_getcwd, g_directory, sizeof g_directory) <= 0) g_directory[0] = 0;
  for_each_descriptor([](int fd) {
    Open o{};
    o.fd = fd;
    if (examine(&o) && g_open_count < kMaxOpen) g_open[g_open_count++] = o;
    if (g_shared_count < kMaxOpen) g_shared[g_shared_count++] = identity_of(fd);
  });
}

// What waits in a pipe is copied from the one that the server has, which a process has no more once it has got its own.
bool recreates_descriptors_again() {
  for (uint32_t i = 0; i < g_open_count; ++i) {
    const Open& o = g_open[i];
    if ((o.kind == Kind::kPipe || o.kind == Kind::kSocket) && o.state != 0) return false;
  }
  return true;
}

bool can_separate_descriptors() { return examine_all(); }

bool separate_descriptors() {
  if (!examine_all()) return false;
  if (g_open_count == 0) return true;
  recreate_descriptors();
  return examine_all();
}

void recreate_descriptors() {
  if (g_run.control->view_epoch != 0 && g_directory[0] != 0) sys(SYS_chdir, g_directory);
  for (uint32_t i = 0; i < g_open_count; ++i) {
    Open& o = g_open[i];
    if (o.recreated || o.kind == Kind::kEpoll) continue;
    switch (o.kind) {
      case Kind::kPipe: recreate_pipe(o); break;
      case Kind::kSocket: recreate_socketpair(o); break;
      case Kind::kListener: drain_listener(o); break;
      case Kind::kEvent: recreate_event(o); break;
      case Kind::kFile: recreate_file(o); break;
      case Kind::kEpoll: break;
    }
    o.recreated = true;
  }
  for (uint32_t i = 0; i < g_open_count; ++i) {
    if (g_open[i].kind == Kind::kEpoll) recreate_epoll(g_open[i]);
  }
  // The fresh pipes and sockets have inodes of their own.
  for (uint32_t i = 0; i < g_open_count; ++i) {
    const Open& o = g_open[i];
    if (o.kind == Kind::kPipe || o.kind == Kind::kSocket) made_inside(o.fd, static_cast<int>(o.group));
  }
}

}  // namespace heddle::rt
