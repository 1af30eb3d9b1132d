#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include "runtime/base/sys.h"
#include "runtime/process/kept_descriptors.h"
#include "runtime/process/kept_table.h"
#include "wire/inherited.h"

namespace heddle::rt {

namespace {

// Out of the way of the numbers that are still to be filled.
long lift(long fd) {
  if (fd < 0) return fd;
  const int above = g_kept_table.highest > kInheritedChannel ? g_kept_table.highest + 1 : kInheritedChannel + 1;
  const long up = sys(SYS_fcntl, fd, F_DUPFD_CLOEXEC, above);
  if (up < 0) return fd;
  sys(SYS_close, fd);
  return up;
}

void place(KeptDescriptor* d, long fresh) {
  d->done = true;
  if (fresh < 0) return;
  if (fresh != d->fd) sys(SYS_dup3, fresh, d->fd, d->close_on_exec ? O_CLOEXEC : 0);
}

void place_and_close(KeptDescriptor* d, long fresh) {
  place(d, fresh);
  if (fresh >= 0 && fresh != d->fd) sys(SYS_close, fresh);
}

long memory_file(const KeptDescriptor& d) {
  const long fd = lift(sys(SYS_memfd_create, "heddle-kept", 1 /* MFD_CLOEXEC */));
  if (fd < 0) return fd;
  sys(SYS_ftruncate, fd, d.size);
  for (uint64_t done = 0; done < d.byte_count;) {
    const long n = sys(SYS_pwrite64, fd, g_kept_table.arena + d.bytes + done, d.byte_count - done, done);
    if (n <= 0) break;
    done += static_cast<uint64_t>(n);
  }
  if ((d.flags & O_APPEND) != 0) sys(SYS_fcntl, fd, F_SETFL, O_APPEND);
  return fd;
}

void open_file(KeptDescriptor* d) {
  if (d->same_as >= 0) return place(d, g_kept_table.open[d->same_as].fd);
  long fd = -1;
  if (d->kind == Kept::kPath && d->path != 0) {
    fd = lift(sys(SYS_open, g_kept_table.arena + d->path, (d->flags & ~(O_CREAT | O_EXCL | O_TRUNC)) | O_CLOEXEC | O_NOCTTY, 0));
  }
  if (fd < 0) fd = memory_file(*d);
  if (d->offset > 0) sys(SYS_lseek, fd, d->offset, SEEK_SET);
  place_and_close(d, fd);
}

void pour(long into, const KeptDescriptor& d) {
  for (uint64_t done = 0; done < d.byte_count;) {
    const long n = sys(SYS_write, into, g_kept_table.arena + d.bytes + done, d.byte_count - done);
    if (n <= 0) return;
    done += static_cast<uint64_t>(n);
  }
}

// All descriptors of the one pipe or pair.
template <typename Each>
void for_each_end(const KeptDescriptor& first, Each each) {
  for (KeptDescriptor* o = g_kept_table.open; o != g_kept_table.open + g_kept_table.open_count; ++o) {
    if (o->kind == first.kind && o->name == first.name && !o->done) each(o);
  }
}

// Buffer by buffer, as it was: each is written into another pipe, and moved.
void pour_buffers(long into, const KeptDescriptor& d) {
  int ends[2];
  if (sys(SYS_pipe2, ends, (d.flags & O_DIRECT) | O_CLOEXEC | O_NONBLOCK) != 0) return;
  const char* from = g_kept_table.arena + d.bytes;
  const char* const end = from + d.byte_count;
  while (from < end) {
    uint32_t n;
    memcpy(&n, from, sizeof n);
    from += sizeof n;
    if (sys(SYS_write, ends[1], from, n) != n || sys(SYS_splice, ends[0], 0, into, 0, n, 2 /* SPLICE_F_NONBLOCK */) != n) break;
    from += n;
  }
  sys(SYS_close, ends[0]);
  sys(SYS_close, ends[1]);
}

void open_pipe(const KeptDescriptor& first) {
  constexpr uint64_t kUsualSize = 65536;
  int ends[2];
  if (sys(SYS_pipe2, ends, (first.flags & O_DIRECT) | O_CLOEXEC) != 0) return;
  const long reading = lift(ends[0]);
  const long writing = lift(ends[1]);
  bool poured = false;
  for_each_end(first, [&](KeptDescriptor* d) {
    if (d->size != 0 && d->size != kUsualSize) sys(SYS_fcntl, writing, F_SETPIPE_SZ, d->size);
    if (d->byte_count != 0 && !poured) pour_buffers(writing, *d);
    poured = poured || d->byte_count != 0;
    place(d, d->reads ? reading : writing);
    sys(SYS_fcntl, d->fd, F_SETFL, d->flags & (O_NONBLOCK | O_DIRECT));
  });
  sys(SYS_close, reading);
  sys(SYS_close, writing);
}

void set_timeouts(long fd, const KeptDescriptor& d) {
  for (int i = 0; i < 2; ++i) sys(SYS_setsockopt, fd, SOL_SOCKET, i == 0 ? SO_RCVTIMEO : SO_SNDTIMEO, &d.timeouts[i], sizeof(timeval));
}

void open_pair(const KeptDescriptor& first) {
  int ends[2];
  if (sys(SYS_socketpair, AF_UNIX, (first.type > 0 ? first.type : SOCK_STREAM) | SOCK_CLOEXEC, 0, ends) != 0) return;
  const long sides[2] = {lift(ends[0]), lift(ends[1])};
  const uint64_t inode = first.inode;
  bool poured[2] = {false, false};
  for_each_end(first, [&](KeptDescriptor* d) {
    const int side = d->inode == inode ? 0 : 1;
    if (d->byte_count != 0 && !poured[side]) pour(sides[1 - side], *d);
    poured[side] = poured[side] || d->byte_count != 0;
    place(d, sides[side]);
    sys(SYS_fcntl, d->fd, F_SETFL, d->flags & O_NONBLOCK);
    set_timeouts(d->fd, *d);
  });
  sys(SYS_close, sides[0]);
  sys(SYS_close, sides[1]);
}

// Nobody is at its other end: all that is sent and received is in the log.
void open_socket(KeptDescriptor* d) {
  const int type = (d->type > 0 ? d->type : SOCK_STREAM) | SOCK_CLOEXEC | ((d->flags & O_NONBLOCK) != 0 ? SOCK_NONBLOCK : 0);
  long fd = sys(SYS_socket, d->domain > 0 ? d->domain : AF_UNIX, type, 0);
  if (fd < 0) fd = sys(SYS_socket, AF_UNIX, SOCK_STREAM | (type & (SOCK_CLOEXEC | SOCK_NONBLOCK)), 0);
  if (fd >= 0) set_timeouts(fd, *d);
  place_and_close(d, lift(fd));
}

void open_event(const KeptDescriptor& first) {
  const long fd = lift(sys(SYS_eventfd2, 0, (first.flags & (O_NONBLOCK | EFD_SEMAPHORE)) | O_CLOEXEC));
  if (fd < 0) return;
  const int64_t count = first.offset;
  if (count != 0) sys(SYS_write, fd, &count, sizeof count);
  for_each_end(first, [&](KeptDescriptor* d) { place(d, fd); });
  sys(SYS_close, fd);
}

void open_dead_pipe(KeptDescriptor* d) {
  int ends[2];
  if (sys(SYS_pipe2, ends, O_CLOEXEC) != 0) return;
  const long kept = lift(ends[d->reads ? 0 : 1]);
  sys(SYS_close, ends[d->reads ? 1 : 0]);
  place_and_close(d, kept);
  sys(SYS_fcntl, d->fd, F_SETFL, d->flags & O_NONBLOCK);
}

void open_one(KeptDescriptor* d) {
  switch (d->kind) {
    case Kept::kStream:
      if (d->fd == d->stream) {
        d->done = true;
        if (d->fd == 0 && d->offset > 0) sys(SYS_lseek, 0, d->offset, SEEK_SET);
      } else {
        place(d, d->stream);
      }
      return;
    case Kept::kPath:
    case Kept::kContents:
    case Kept::kSize: return open_file(d);
    case Kept::kPipe: return open_pipe(*d);
    case Kept::kPair: return open_pair(*d);
    case Kept::kSocket: return open_socket(d);
    case Kept::kEvent: return open_event(*d);
    case Kept::kEpoll: return place_and_close(d, lift(sys(SYS_epoll_create1, O_CLOEXEC)));
    case Kept::kDeadPipe: return open_dead_pipe(d);
  }
}

void open_all(bool streams) {
  for (KeptDescriptor* d = g_kept_table.open; d != g_kept_table.open + g_kept_table.open_count; ++d) {
    if (!d->done && (d->kind == Kept::kStream) == streams) open_one(d);
  }
}

bool was_open(int fd) {
  for (uint32_t i = 0; i < g_kept_table.open_count; ++i) {
    if (g_kept_table.open[i].fd == fd) return true;
  }
  return false;
}

}  // namespace

void open_kept_descriptors() {
  if (g_kept_table.directory[0] != 0) sys(SYS_chdir, g_kept_table.directory);
  // Streams first: others may be copies of them, and two of them may have changed places.
  open_all(true);
  open_all(false);
  for (int fd = 0; fd < 3; ++fd) {
    if (!was_open(fd)) sys(SYS_close, fd);
  }
  for (uint32_t i = 0; i < g_kept_table.member_count; ++i) {
    KeptMember& m = g_kept_table.members[i];
    sys(SYS_epoll_ctl, m.epoll, EPOLL_CTL_ADD, m.fd, &m.event);
  }
}

}  // namespace heddle::rt
