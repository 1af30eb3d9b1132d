// Waits that the kernel cannot be asked about without doing them: file locks, System V semaphores and queues. Each is a try at a point,
// again and again; a thread that keeps failing gives way, and if nobody else can help the run ends as a livelock.
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/placement.h"
#include "runtime/base/real.h"
#include "runtime/base/real_io.h"
#include "runtime/base/sys.h"
#include "runtime/engine/due.h"
#include "runtime/engine/outside_influence.h"
#include "runtime/engine/scheduler.h"
#include "runtime/outside/common_state.h"
#include "runtime/outside/descriptor_call.h"
#include "runtime/outside/pids.h"

using namespace heddle;
using namespace heddle::rt;

namespace {

constexpr uint32_t kPlaceholders = 256;
char g_placeholders[kPlaceholders];

// The kernel's numbers for sets and queues differ from run to run: the number within this run is the name.
constexpr uint32_t kMaxIpc = 256;
struct Ipc {
  uint64_t kind;
  int id;
};
HEDDLE_APART Ipc g_ipc[kMaxIpc];
uint32_t g_ipc_count;

ObjectId ipc_object(uint64_t kind, int id) {
  uint32_t at = 0;
  while (at < g_ipc_count && (g_ipc[at].kind != kind || g_ipc[at].id != id)) ++at;
  if (at == g_ipc_count && g_ipc_count < kMaxIpc) g_ipc[g_ipc_count++] = {kind, id};
  return make_object(ObjectKind::kDescriptor, kind, at);
}

long never_blocks() { return -EINTR; }

// `call` tries once and returns -errno on failure; `busy` is the error that means "not now". `block` waits in the kernel where only another process can
// end the wait and nobody here goes on meanwhile; it returns -EINTR where that is not so.
template <typename Call, typename Block = long (*)()>
long until_done(Op op, ObjectId object, int id, bool waits, long busy, void* pc, Call call, Block block = never_blocks) {
  Pending p{};
  p.op = op;
  p.object = object;
  // Stands for the kernel's lock where accesses are ordered; reads and writes have their own way there.
  if (row(op).family != Family::kDescriptors) p.address = &g_placeholders[static_cast<unsigned>(id) % kPlaceholders];
  p.site = caller_site(pc);
  p.interrupt = Interrupt::kUnlessRestart;
  p.cancels = true;
  for (;;) {
    Event* e = point(p);
    if (e == nullptr) return -EINTR;
    long result = call();
    if (result == busy && waits) {
      const long ended = block();
      if (ended != -EINTR) result = ended;
    }
    mark_try(e, result == busy);
    if (result != busy || !waits) return result;
  }
}

// Does a process that is not this one hold the file's flock?
bool is_locked_by_others(int fd) {
  struct stat status;
  if (sys(SYS_fstat, fd, &status) != 0) return false;
  char end[32];
  snprintf(end, sizeof end, ":%lu ", static_cast<unsigned long>(status.st_ino));
  const long locks = sys(SYS_open, "/proc/locks", O_RDONLY | O_CLOEXEC, 0);
  if (locks < 0) return false;
  static char text[1 << 16];
  long size = 0;
  for (long n = 0; (n = sys(SYS_read, locks, text + size, sizeof text - 1 - static_cast<size_t>(size))) > 0;) size += n;
  sys(SYS_close, locks);
  text[size] = 0;
  for (char* line = text; line != nullptr && *line != 0;) {
    char* next = strchr(line, '\n');
    if (next != nullptr) *next++ = 0;
    int holder = 0;
    const bool held = strstr(line, "FLOCK") != nullptr && strstr(line, "->") == nullptr && strstr(line, end) != nullptr;
    if (held && sscanf(line, "%*s %*s %*s %*s %d", &holder) == 1 && holder != sys(SYS_getpid)) return true;
    line = next;
  }
  return false;
}

// The holder is another process, whatever the threads of this one do.
template <typename Wait>
long wait_for_others(bool others, Wait wait) {
  if (!others) return -EINTR;
  disturbed(kLooksOutside);
  if (g_live_count == 1 && g_next_timer == kNoTimer) return wait();
  const timespec pause{0, 200000};
  sys(SYS_nanosleep, &pause, nullptr);
  return -EINTR;
}

}  // namespace

HEDDLE_EXPORT int flock(int fd, int operation) noexcept {
  const bool waits = (operation & LOCK_NB) == 0;
  if (!active()) return static_cast<int>(with_errno(sys(SYS_flock, fd, operation)));
  const Op op = (operation & LOCK_UN) != 0 ? Op::kMutexUnlock : Op::kMutexTryLock;
  return static_cast<int>(with_errno(until_done(
      op, name_descriptor(fd), fd, waits, -EWOULDBLOCK, __builtin_return_address(0),
      [&] { return sys(SYS_flock, fd, operation | LOCK_NB); },
      [&] { return wait_for_others(is_locked_by_others(fd), [&] { return sys(SYS_flock, fd, operation); }); })));
}

namespace {

// Locks of a process: its own threads never exclude each other by them, another process may.
int lock_record(int fd, int command, const struct flock* wanted, void* pc) {
  const bool waits = command == F_SETLKW || command == F_OFD_SETLKW;
  const int tries = command == F_SETLKW ? F_SETLK : command == F_OFD_SETLKW ? F_OFD_SETLK : command;
  const Op op = wanted->l_type == F_UNLCK ? Op::kMutexUnlock : Op::kMutexTryLock;
  const auto result = until_done(
      op, name_descriptor(fd), fd, waits, -EAGAIN, pc,
      [&] {
        const long error = sys(SYS_fcntl, fd, tries, wanted);
        return error == -EACCES ? -EAGAIN : error;
      },
      [&] { return wait_for_others(command == F_SETLKW, [&] { return sys(SYS_fcntl, fd, command, wanted); }); });
  return static_cast<int>(with_errno(result));
}

}  // namespace

namespace {

// A group is a negative number.
pid_t seen_owner(pid_t owner) { return owner < -1 ? -seen_pid(-owner) : seen_pid(owner); }

}  // namespace

HEDDLE_EXPORT int fcntl(int fd, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  void* argument = va_arg(arguments, void*);
  va_end(arguments);
  if (active() && (command == F_SETLKW || command == F_OFD_SETLKW || command == F_OFD_SETLK)) {
    return lock_record(fd, command, static_cast<const struct flock*>(argument), __builtin_return_address(0));
  }
  static int (*library)(int, int, ...);
  if (library == nullptr) library = next_symbol<int (*)(int, int, ...)>("fcntl");
  if (command == F_SETFL) forget_flags(fd);
  if (command == F_SETOWN) return library(fd, command, real_pid(static_cast<pid_t>(reinterpret_cast<intptr_t>(argument))));
  if (command == F_GETOWN) return seen_owner(library(fd, command));
  if (command == F_SETOWN_EX && argument != nullptr) {
    auto owner = *static_cast<const f_owner_ex*>(argument);
    owner.pid = owner.type == F_OWNER_TID ? real_tid(owner.pid) : owner.type == F_OWNER_PGRP ? real_group(owner.pid) : real_pid(owner.pid);
    return library(fd, command, &owner);
  }
  if (command == F_GETOWN_EX && argument != nullptr) {
    const int result = library(fd, command, argument);
    auto* owner = static_cast<f_owner_ex*>(argument);
    if (result == 0) owner->pid = seen_pid(owner->pid);
    return result;
  }
  return library(fd, command, argument);
}
HEDDLE_EXPORT int fcntl64(int fd, int command, ...) __attribute__((alias("fcntl")));

HEDDLE_EXPORT int lockf(int fd, int command, off_t length) {
  static decltype(&::lockf) library;
  if (library == nullptr) library = next_symbol<decltype(&::lockf)>("lockf");
  if (!active() || command != F_LOCK) return library(fd, command, length);
  struct flock wanted {};
  wanted.l_type = F_WRLCK;
  wanted.l_whence = SEEK_CUR;
  wanted.l_len = length;
  return lock_record(fd, F_SETLKW, &wanted, __builtin_return_address(0));
}
HEDDLE_EXPORT int lockf64(int fd, int command, off64_t length) __attribute__((alias("lockf")));

HEDDLE_EXPORT int semget(key_t key, int count, int flags) noexcept {
  made_in_kernel("System V semaphores");
  return static_cast<int>(with_errno(sys(SYS_semget, key, count, flags)));
}

HEDDLE_EXPORT int msgget(key_t key, int flags) noexcept {
  made_in_kernel("a System V message queue");
  return static_cast<int>(with_errno(sys(SYS_msgget, key, flags)));
}

HEDDLE_EXPORT int shmget(key_t key, size_t size, int flags) noexcept {
  made_in_kernel("System V shared memory");
  return static_cast<int>(with_errno(sys(SYS_shmget, key, size, flags)));
}

HEDDLE_EXPORT int semtimedop(int set, sembuf* operations, size_t count, const timespec* timeout) noexcept {
  if (!active() || timeout != nullptr) {
    if (active()) note(caller_site(__builtin_return_address(0)), "semtimedop waits on the real clock");
    return static_cast<int>(with_errno(sys(SYS_semtimedop, set, operations, count, timeout)));
  }
  bool waits = false;
  bool only_posts = true;
  sembuf tries[64];
  if (count > 64) return static_cast<int>(with_errno(sys(SYS_semop, set, operations, count)));
  for (size_t i = 0; i < count; ++i) {
    waits = waits || (operations[i].sem_flg & IPC_NOWAIT) == 0;
    only_posts = only_posts && operations[i].sem_op > 0;
    tries[i] = operations[i];
    tries[i].sem_flg = static_cast<short>(tries[i].sem_flg | IPC_NOWAIT);
  }
  return static_cast<int>(with_errno(until_done(only_posts ? Op::kSemPost : Op::kSemTryWait, ipc_object(1, set), set, waits, -EAGAIN,
                                                __builtin_return_address(0), [&] { return sys(SYS_semop, set, tries, count); })));
}

HEDDLE_EXPORT int semop(int set, sembuf* operations, size_t count) noexcept {
  CalledFrom outer(__builtin_return_address(0));
  return semtimedop(set, operations, count, nullptr);
}

HEDDLE_EXPORT int msgsnd(int queue, const void* message, size_t size, int flags) {
  if (!active()) return static_cast<int>(with_errno(sys(SYS_msgsnd, queue, message, size, flags)));
  return static_cast<int>(
      with_errno(until_done(Op::kWrite, ipc_object(2, queue), queue, (flags & IPC_NOWAIT) == 0, -EAGAIN, __builtin_return_address(0),
                            [&] { return sys(SYS_msgsnd, queue, message, size, flags | IPC_NOWAIT); })));
}

HEDDLE_EXPORT ssize_t msgrcv(int queue, void* message, size_t size, long type, int flags) {
  if (!active()) return with_errno(sys(SYS_msgrcv, queue, message, size, type, flags));
  return with_errno(until_done(Op::kRead, ipc_object(2, queue), queue, (flags & IPC_NOWAIT) == 0, -ENOMSG, __builtin_return_address(0),
                               [&] { return sys(SYS_msgrcv, queue, message, size, type, flags | IPC_NOWAIT); }));
}

HEDDLE_EXPORT int eventfd_read(int fd, eventfd_t* value) {
  CalledFrom outer(__builtin_return_address(0));
  return read(fd, value, sizeof *value) == static_cast<ssize_t>(sizeof *value) ? 0 : -1;
}

HEDDLE_EXPORT int eventfd_write(int fd, eventfd_t value) {
  CalledFrom outer(__builtin_return_address(0));
  return write(fd, &value, sizeof value) == static_cast<ssize_t>(sizeof value) ? 0 : -1;
}
