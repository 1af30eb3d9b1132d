#include "runtime/process/kept_descriptors.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "runtime/base/memory_map.h"
#include "runtime/base/placement.h"
#include "runtime/base/sys.h"
#include "runtime/outside/descriptors.h"
#include "runtime/process/kept_table.h"
#include "runtime/process/process_facts.h"
#include "wire/inherited.h"

namespace heddle::rt {

HEDDLE_APART KeptTable g_kept_table;

namespace {

constexpr uint32_t kMost = KeptTable::kMost;
constexpr uint64_t kArenaBytes = uint64_t{160} << 20;
constexpr uint64_t kMostContents = uint64_t{64} << 20;  // of all files that are read and written

struct FileIdentity {
  uint64_t device, inode;
};
FileIdentity g_streams[3];

FileIdentity identify(int fd) {
  struct stat status;
  if (sys(SYS_fstat, fd, &status) != 0) return {0, 0};
  return {status.st_dev, status.st_ino};
}

int stream_with(const struct stat& status) {
  for (int i = 0; i < 3; ++i) {
    if (g_streams[i].inode == status.st_ino && g_streams[i].device == status.st_dev && g_streams[i].inode != 0) return i;
  }
  return -1;
}

uint64_t arena_room() { return kArenaBytes - g_kept_table.arena_used; }

// Its path, or 0.
uint64_t keep_path(int fd) {
  if (arena_room() < 8192) return 0;
  const long n = link_of(fd, g_kept_table.arena + g_kept_table.arena_used, 4096);
  if (n == 0) return 0;
  const uint64_t at = g_kept_table.arena_used;
  g_kept_table.arena_used += static_cast<uint64_t>(n) + 1;
  return at;
}

// What lies in it stays there. It is kept buffer by buffer: a writer can go on when one of them is empty, however many bytes are in the others.
void keep_pipe(KeptDescriptor* d) {
  constexpr long kPipeRoom = 1 << 20;
  constexpr long kOneBuffer = 4096;
  constexpr int kNoWait = 2;  // SPLICE_F_NONBLOCK
  int all[2];
  int one[2];
  const long size = sys(SYS_fcntl, d->fd, F_GETPIPE_SZ);
  d->size = size > 0 ? static_cast<uint64_t>(size) : 0;
  if (!d->reads || arena_room() < 2 * kPipeRoom || sys(SYS_pipe2, all, O_CLOEXEC | O_NONBLOCK) != 0) return;
  sys(SYS_fcntl, all[1], F_SETPIPE_SZ, kPipeRoom);
  if (sys(SYS_tee, d->fd, all[1], kPipeRoom, kNoWait) > 0 && sys(SYS_pipe2, one, O_CLOEXEC | O_NONBLOCK) == 0) {
    sys(SYS_fcntl, one[1], F_SETPIPE_SZ, kOneBuffer);
    d->bytes = g_kept_table.arena_used;
    char* to = g_kept_table.arena + d->bytes;
    uint32_t n;
    for (long moved; (moved = sys(SYS_splice, all[0], 0, one[1], 0, kPipeRoom, kNoWait)) > 0; to += n) {
      n = static_cast<uint32_t>(moved);
      memcpy(to, &n, sizeof n);
      to += sizeof n;
      if (sys(SYS_read, one[0], to, n) != moved) break;
    }
    d->byte_count = static_cast<uint64_t>(to - (g_kept_table.arena + d->bytes));
    g_kept_table.arena_used += d->byte_count;
    sys(SYS_close, one[0]);
    sys(SYS_close, one[1]);
  }
  sys(SYS_close, all[0]);
  sys(SYS_close, all[1]);
}

void keep_socket(KeptDescriptor* d, const DescriptorInfo& info) {
  constexpr long kMostWaiting = 1 << 20;
  d->type = socket_option(d->fd, SO_TYPE);
  d->domain = socket_option(d->fd, SO_DOMAIN);
  for (int i = 0; i < 2; ++i) {
    socklen_t length = sizeof(timeval);
    sys(SYS_getsockopt, d->fd, SOL_SOCKET, i == 0 ? SO_RCVTIMEO : SO_SNDTIMEO, &d->timeouts[i], &length);
  }
  d->kind = info.reach == Reach::kInside ? Kept::kPair : Kept::kSocket;
  d->name = info.name;
  if (d->kind != Kept::kPair || arena_room() < 2 * kMostWaiting) return;
  const long n =
      sys(SYS_recvfrom, d->fd, g_kept_table.arena + g_kept_table.arena_used, kMostWaiting, MSG_PEEK | MSG_DONTWAIT, nullptr, nullptr);
  if (n <= 0) return;
  d->bytes = g_kept_table.arena_used;
  d->byte_count = static_cast<uint64_t>(n);
  g_kept_table.arena_used += d->byte_count;
}

void keep_members(int epoll, const char* text) {
  for_each_member(text, [&](int fd, const epoll_event& event) {
    if (g_kept_table.member_count == kMost) return false;
    KeptMember m{};
    m.epoll = epoll;
    m.fd = fd;
    m.event = event;
    g_kept_table.members[g_kept_table.member_count++] = m;
    return true;
  });
}

const char* keep_anonymous(KeptDescriptor* d) {
  const uint64_t path = keep_path(d->fd);
  const char* link = g_kept_table.arena + path;
  if (arena_room() < (16 << 20)) return "too much is open";
  char* text = g_kept_table.arena + g_kept_table.arena_used;  // only for a moment
  if (info_of(d->fd, text, 8 << 20) <= 0) return "a descriptor could not be looked at";
  if (strstr(link, "[eventpoll]") != nullptr) {
    d->kind = Kept::kEpoll;
    keep_members(d->fd, text);
    return nullptr;
  }
  if (strstr(link, "[eventfd]") == nullptr) return "a descriptor of a kind is open that cannot be put back (inotify, signalfd, pidfd...)";
  d->kind = Kept::kEvent;
  EventCounter state;
  parse_event(d->fd, text, &state);
  d->offset = state.count;
  d->name = static_cast<int>(state.id);
  if (state.semaphore) d->flags |= EFD_SEMAPHORE;
  return nullptr;
}

// A file that is read as well as written has to have its contents; of one that is only written, the size is enough.
const char* keep_file(KeptDescriptor* d, const struct stat& status) {
  d->offset = sys(SYS_lseek, d->fd, 0, SEEK_CUR);
  d->size = static_cast<uint64_t>(status.st_size);
  const int access = d->flags & O_ACCMODE;
  d->kind = access == O_WRONLY ? Kept::kSize : access == O_RDONLY && status.st_nlink > 0 ? Kept::kPath : Kept::kContents;
  if (d->kind == Kept::kPath) d->path = keep_path(d->fd);
  if (d->kind != Kept::kContents) return nullptr;
  if (d->size > kMostContents || arena_room() < d->size + (16 << 20)) return "files of more than 64 MB are open for reading and writing";
  d->bytes = g_kept_table.arena_used;
  while (d->byte_count < d->size) {
    const long n = sys(SYS_pread64, d->fd, g_kept_table.arena + g_kept_table.arena_used, d->size - d->byte_count, d->byte_count);
    if (n <= 0) break;
    d->byte_count += static_cast<uint64_t>(n);
    g_kept_table.arena_used += static_cast<uint64_t>(n);
  }
  return nullptr;
}

const char* keep_one(KeptDescriptor* d) {
  struct stat status;
  if (sys(SYS_fstat, d->fd, &status) != 0) return nullptr;
  d->flags = static_cast<int>(sys(SYS_fcntl, d->fd, F_GETFL));
  d->close_on_exec = (sys(SYS_fcntl, d->fd, F_GETFD) & FD_CLOEXEC) != 0;
  d->reads = (d->flags & O_ACCMODE) == O_RDONLY;
  d->inode = status.st_ino;
  d->stream = stream_with(status);
  if (d->stream >= 0) {
    d->kind = Kept::kStream;
    d->offset = sys(SYS_lseek, d->fd, 0, SEEK_CUR);
    return nullptr;
  }
  switch (status.st_mode & S_IFMT) {
    case 0: return keep_anonymous(d);
    case S_IFREG: return keep_file(d, status);
    case S_IFSOCK: keep_socket(d, describe(d->fd)); return nullptr;
    case S_IFIFO: {
      const DescriptorInfo info = describe(d->fd);
      d->kind = info.reach == Reach::kInside ? Kept::kPipe : Kept::kDeadPipe;
      d->name = info.name;
      if (d->kind == Kept::kPipe) keep_pipe(d);
      return nullptr;
    }
    default:
      d->kind = Kept::kPath;
      d->path = keep_path(d->fd);
      return nullptr;
  }
}

// Two numbers of one open file share its offset.
void find_same(KeptDescriptor* d) {
  constexpr int kFile = 0;  // KCMP_FILE
  d->same_as = -1;
  if (d->kind != Kept::kPath && d->kind != Kept::kContents && d->kind != Kept::kSize) return;
  for (const KeptDescriptor* o = g_kept_table.open; o != d; ++o) {
    if (o->inode != d->inode || o->same_as >= 0 || o->kind != d->kind) continue;
    const long me = sys(SYS_getpid);
    if (sys(SYS_kcmp, me, me, kFile, o->fd, d->fd) == 0) d->same_as = static_cast<int>(o - g_kept_table.open);
  }
}

const char* keep_number(int fd) {
  if (fd == kInheritedChannel) return nullptr;  // ours
  if (g_kept_table.open_count == kMost || arena_room() < (8 << 20)) return "too much is open";
  KeptDescriptor& d = g_kept_table.open[g_kept_table.open_count++];
  d = KeptDescriptor{};
  d.fd = fd;
  if (fd > g_kept_table.highest) g_kept_table.highest = fd;
  if (const char* why = keep_one(&d)) return why;
  find_same(&d);
  return nullptr;
}

}  // namespace

void note_streams() {
  for (int i = 0; i < 3; ++i) g_streams[i] = identify(i);
}

const char* keep_descriptors() {
  if (g_kept_table.arena == nullptr) g_kept_table.arena = static_cast<char*>(map_zeroed(kArenaBytes));
  if (g_kept_table.arena == nullptr) return "not enough memory";
  g_kept_table.arena[0] = 0;
  g_kept_table.arena_used = 1;
  g_kept_table.open_count = g_kept_table.member_count = 0;
  g_kept_table.highest = 0;
  if (sys(SYS_getcwd, g_kept_table.directory, sizeof g_kept_table.directory) <= 0) g_kept_table.directory[0] = 0;
  const long directory = sys(SYS_open, "/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  if (directory < 0) return "the list of descriptors cannot be read";
  alignas(8) char block[8192];
  const char* why = nullptr;
  long n;
  while (why == nullptr && (n = sys(SYS_getdents64, directory, block, sizeof block)) > 0) {
    for (long at = 0; at < n && why == nullptr;) {
      const auto* entry = reinterpret_cast<const dirent64*>(block + at);
      at += entry->d_reclen;
      if (entry->d_name[0] != '.' && atoi(entry->d_name) != static_cast<int>(directory)) why = keep_number(atoi(entry->d_name));
    }
  }
  sys(SYS_close, directory);
  return why;
}

}  // namespace heddle::rt
