#include "runtime/outside/descriptors.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "runtime/base/placement.h"
#include "runtime/base/sys.h"
#include "runtime/engine/names.h"
#include "runtime/outside/descriptor_facts.h"
#include "runtime/outside/pids.h"

namespace heddle::rt {

namespace {

// Pipes and sockets by inode: every descriptor of one, however it was duplicated, has the same.
struct Made {
  uint64_t inode;
  int name;
};
constexpr uint32_t kTable = 1 << 13;
HEDDLE_APART Made g_made[kTable];
uint32_t g_made_count;

uint32_t place_of(uint64_t inode) {
  uint32_t at = static_cast<uint32_t>(mix(inode, 3)) % kTable;
  while (g_made[at].inode != 0 && g_made[at].inode != inode) at = (at + 1) % kTable;
  return at;
}

constexpr unsigned kMemoryDevices = 1;  // /dev/null, /dev/zero, /dev/urandom...

// What an anonymous file is by its link: only these four are the program's own. A pidfd, inotify and the like are made ready by others.
Anonymous ask_kind(int fd) {
  char path[48];
  char target[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  const long n = sys(SYS_readlink, path, target, sizeof target - 1);
  if (n <= 0) return Anonymous::kNot;
  target[n] = 0;
  if (strncmp(target, "anon_inode:", 11) != 0 && strncmp(target, "pidfd:", 6) != 0) return Anonymous::kNot;
  if (strstr(target, "[eventpoll]") != nullptr) return Anonymous::kEpoll;
  if (strstr(target, "[timerfd]") != nullptr) return Anonymous::kOwn;
  if (strstr(target, "[eventfd]") != nullptr || strstr(target, "[signalfd]") != nullptr) return Anonymous::kByChildren;
  return Anonymous::kByOthers;
}

Anonymous kind_by_link(int fd) {
  DescriptorFacts* facts = facts_of(fd);
  if (facts->anonymous == Anonymous::kUnknown) facts->anonymous = ask_kind(fd);
  return facts->anonymous;
}

// A child has the same eventfd, and its end is a signal; where there is none, both are the program's own.
Anonymous anonymous_kind(int fd) {
  const Anonymous kind = kind_by_link(fd);
  if (kind != Anonymous::kByChildren) return kind;
  return live_children() > 0 ? Anonymous::kByOthers : Anonymous::kOwn;
}

bool leads_outside(int fd) {
  const Reach reach = describe(fd).reach;
  return reach == Reach::kForeign || reach == Reach::kShared || anonymous_kind(fd) == Anonymous::kByOthers;
}

constexpr int kNoWitness = -1, kUnseen = -2;

// A member of the set that leads outside.
int outside_member(int epoll) {
  char path[48];
  snprintf(path, sizeof path, "/proc/self/fdinfo/%d", epoll);
  const long fd = sys(SYS_open, path, O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0) return kUnseen;
  char text[16384];
  const long n = sys(SYS_read, fd, text, sizeof text - 1);
  sys(SYS_close, fd);
  if (n <= 0) return kUnseen;
  text[n] = 0;
  for (const char* at = strstr(text, "tfd:"); at != nullptr; at = strstr(at + 4, "tfd:")) {
    const int member = atoi(at + 4);
    if (leads_outside(member)) return member;
  }
  return kNoWitness;
}

bool any_member_outside(int epoll) {
  DescriptorFacts* known = kept_facts(epoll);
  if (known == nullptr) return outside_member(epoll) != kNoWitness;
  // Who has a child is known by asking for each of the members.
  const uint64_t key = (facts_key() << 8) + live_children();
  if (known->witness < 0 && known->witness_key == key) return false;
  if (known->witness >= 0 && facts_of(known->witness)->birth == known->witness_key && leads_outside(known->witness)) return true;
  const int witness = outside_member(epoll);
  known->witness = witness == kUnseen ? kNoWitness : witness;
  known->witness_key = witness >= 0 ? facts_of(witness)->birth : witness == kUnseen ? ~uint64_t{0} : key;
  return witness != kNoWitness;
}

}  // namespace

void made_inside(int fd, int name) {
  const DescriptorFacts* status = facts_of(fd);
  if (status->mode == kNoFile) return;
  reach_changed();
  if (g_made_count > kTable / 2) {
    memset(g_made, 0, sizeof g_made);
    g_made_count = 0;
  }
  Made& m = g_made[place_of(status->inode)];
  if (m.inode == 0) ++g_made_count;
  m = {status->inode, name};
}

int name_of_made(uint64_t inode) {
  const Made& m = g_made[place_of(inode)];
  return m.inode == 0 ? -1 : m.name;
}

void parent_has_all() {
  memset(g_made, 0, sizeof g_made);
  g_made_count = 0;
  reach_changed();
}

DescriptorInfo describe(int fd) {
  DescriptorInfo info{Reach::kPlain, false, false, false, fd};
  const DescriptorFacts& status = *facts_of(fd);
  if (status.mode == kNoFile) return info;
  const unsigned type = status.mode & S_IFMT;
  if (type == S_IFREG || type == S_IFDIR || type == S_IFBLK || type == S_IFLNK) return info;
  if (type == S_IFCHR) {
    info.random = status.device == makedev(kMemoryDevices, 8) || status.device == makedev(kMemoryDevices, 9);
    if (major(status.device) == kMemoryDevices) return info;
    info.reach = Reach::kForeign;
    info.stream = true;
    return info;
  }
  if (type == 0) {  // eventfd, epoll, signalfd...
    info.reach = Reach::kInside;
    return info;
  }
  info.socket = type == S_IFSOCK;
  info.stream = type == S_IFIFO;
  const Made& m = g_made[place_of(status.inode)];
  if (m.inode == 0) {
    info.reach = Reach::kForeign;
    return info;
  }
  info.name = m.name;
  info.reach = live_children() > 0 ? Reach::kShared : Reach::kInside;
  return info;
}

bool is_input(int fd, const DescriptorInfo& info) {
  if (info.reach != Reach::kShared || info.socket) return info.reach == Reach::kForeign || info.reach == Reach::kShared;
  struct stat status;
  if (sys(SYS_fstat, fd, &status) != 0) return false;
  const long own = sys(SYS_fcntl, fd, F_GETFL) & O_ACCMODE;
  const long directory = sys(SYS_open, "/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  alignas(8) char block[2048];
  bool both = false;
  for (long n = 0; !both && (n = sys(SYS_getdents64, directory, block, sizeof block)) > 0;) {
    for (long at = 0; at < n && !both;) {
      const auto* entry = reinterpret_cast<const dirent64*>(block + at);
      at += entry->d_reclen;
      struct stat other;
      const int candidate = atoi(entry->d_name);
      if (entry->d_name[0] == '.' || sys(SYS_fstat, candidate, &other) != 0 || other.st_ino != status.st_ino) continue;
      both = S_ISFIFO(other.st_mode) && (sys(SYS_fcntl, candidate, F_GETFL) & O_ACCMODE) != own;
    }
  }
  sys(SYS_close, directory);
  return !both;
}

bool is_blocking(int fd) {
  DescriptorFacts* facts = kept_facts(fd);
  // A child has the file, too, and may change its flags.
  if (facts != nullptr && facts->blocking >= 0 && live_children() == 0) return facts->blocking != 0;
  const long flags = sys(SYS_fcntl, fd, F_GETFL);
  const bool blocking = flags >= 0 && (flags & O_NONBLOCK) == 0;
  if (facts != nullptr) facts->blocking = blocking ? 1 : 0;
  return blocking;
}

uint64_t socket_timeout(int fd, bool sends) {
  DescriptorFacts* facts = kept_facts(fd);
  const int direction = sends ? 1 : 0;
  if (facts != nullptr && facts->has_timeout[direction]) return facts->timeout[direction];
  timeval limit{0, 0};
  socklen_t length = sizeof limit;
  const bool known = sys(SYS_getsockopt, fd, SOL_SOCKET, sends ? SO_SNDTIMEO : SO_RCVTIMEO, &limit, &length) == 0;
  const uint64_t timeout = known ? static_cast<uint64_t>(limit.tv_sec) * 1000000000 + static_cast<uint64_t>(limit.tv_usec) * 1000 : 0;
  if (facts != nullptr) {
    facts->timeout[direction] = timeout;
    facts->has_timeout[direction] = true;
  }
  return timeout;
}

bool is_epoll_set(int fd) { return describe(fd).reach == Reach::kInside && anonymous_kind(fd) == Anonymous::kEpoll; }

bool tells_of_signals(int fd, const DescriptorInfo& info, long bytes) {
  constexpr long kRecord = 128;  // signalfd_siginfo; an eventfd says 8 bytes
  if (bytes <= 0 || bytes % kRecord != 0 || info.reach != Reach::kInside || info.socket || info.stream) return false;
  return kind_by_link(fd) == Anonymous::kByChildren;
}

ObjectId descriptor_object(const DescriptorInfo& info) { return name_descriptor(info.name); }

bool descriptors_ready(const DescriptorWait& wait) {
  const timespec now{0, 0};
  return sys(SYS_ppoll, wait.fds, wait.count, &now, nullptr, 8) != 0;  // an error is an answer, too
}

bool reaches_outside(const DescriptorWait& wait) {
  for (nfds_t i = 0; i < wait.count; ++i) {
    if (wait.fds[i].fd < 0) continue;
    const DescriptorInfo info = describe(wait.fds[i].fd);
    if (info.reach == Reach::kForeign || info.reach == Reach::kShared) return true;
    if (info.reach != Reach::kInside || info.socket || info.stream) continue;
    const Anonymous kind = anonymous_kind(wait.fds[i].fd);
    if (kind == Anonymous::kByOthers || (kind == Anonymous::kEpoll && any_member_outside(wait.fds[i].fd))) return true;
  }
  return false;
}

bool child_may_end(const DescriptorWait& wait) {
  if (live_children() == 0) return false;
  constexpr long kQueues = 0x19800202;  // the file system of message queues
  for (nfds_t i = 0; i < wait.count; ++i) {
    if (wait.fds[i].fd < 0) continue;
    if (kind_by_link(wait.fds[i].fd) == Anonymous::kByChildren) return true;
    struct statfs system;
    if (sys(SYS_fstatfs, wait.fds[i].fd, &system) == 0 && system.f_type == kQueues) return true;
  }
  return false;
}

bool child_ready(const ChildWait& wait) {
  siginfo_t info;
  memset(&info, 0, sizeof info);
  const long result = sys(SYS_waitid, wait.type, wait.id, &info, wait.options | WNOHANG | WNOWAIT, nullptr);
  return result < 0 || info.si_pid != 0;
}

}  // namespace heddle::rt
