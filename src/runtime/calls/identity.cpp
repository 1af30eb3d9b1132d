// Who the program is: users and groups, and calls of glibc that reach a thread by its kernel number.
#include <errno.h>
#include <grp.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/placement.h"
#include "runtime/base/real.h"
#include "runtime/base/real_io.h"
#include "runtime/base/sys.h"
#include "runtime/calls/identity.h"
#include "runtime/engine/names.h"
#include "runtime/engine/run.h"

namespace heddle::rt {

namespace {

#define HEDDLE_BY_TID(X)   \
  X(pthread_getattr_np)    \
  X(pthread_getschedparam) \
  X(pthread_setschedparam) X(pthread_setschedprio) X(pthread_setname_np) X(pthread_getname_np) X(pthread_getcpuclockid)

struct ByTid {
#define HEDDLE_FIELD(name) decltype(&::name) name;
  HEDDLE_BY_TID(HEDDLE_FIELD)
#undef HEDDLE_FIELD
};

const ByTid& by_tid() {
  static ByTid table;
  static bool known;
  if (!known) {
#define HEDDLE_RESOLVE(name) table.name = next_symbol<decltype(&::name)>(#name);
    HEDDLE_BY_TID(HEDDLE_RESOLVE)
#undef HEDDLE_RESOLVE
    known = true;
  }
  return table;
}

// In a forked copy a thread has no kernel thread: for the length of a call glibc believes that the one that runs does. The
// number must come back at once, it is what mutexes know their owner by.
class BorrowedTid {
 public:
  explicit BorrowedTid(pthread_t handle) {
    ThreadSlot* t = active() && g_run.forked_copy ? slot_of(handle) : nullptr;
    if (t == nullptr) return;
    word_ = reinterpret_cast<volatile pid_t*>(handle + real().tid_offset);
    before_ = *word_;
    *word_ = static_cast<pid_t>(sys(SYS_gettid));
  }
  ~BorrowedTid() {
    if (word_ != nullptr) *word_ = before_;
  }
  BorrowedTid(const BorrowedTid&) = delete;
  BorrowedTid& operator=(const BorrowedTid&) = delete;

 private:
  volatile pid_t* word_ = nullptr;
  pid_t before_ = 0;
};

// Changes of users and groups that a thread has made, in order.
struct Change {
  long call;
  long a, b, c;
};
constexpr uint32_t kMaxChanges = 256;
constexpr uint32_t kMaxGroups = 1024;
HEDDLE_APART Change g_changes[kMaxChanges];
uint32_t g_change_count;
HEDDLE_APART gid_t g_groups[kMaxGroups];  // of all setgroups, one after the other
uint32_t g_groups_used;
HEDDLE_APART uint32_t g_adopted[kMaxThreads];  // how many of them each thread has made

bool keeps_groups(Change* change) {
  const auto count = static_cast<uint32_t>(change->a);
  if (count > kMaxGroups - g_groups_used) return false;
  memcpy(g_groups + g_groups_used, reinterpret_cast<const gid_t*>(change->b), count * sizeof(gid_t));
  change->b = reinterpret_cast<long>(g_groups + g_groups_used);
  g_groups_used += count;
  return true;
}

int change_identity(Change change) {
  int with_parent = 0;  // the signal that comes when the parent dies
  sys(SYS_prctl, PR_GET_PDEATHSIG, &with_parent, 0, 0, 0);
  const long result = sys(change.call, change.a, change.b, change.c);
  // The kernel forgets it with the rights: a server that drops them must not outlive the tool either.
  if (result == 0 && with_parent != 0) sys(SYS_prctl, PR_SET_PDEATHSIG, with_parent, 0, 0, 0);
  if (result == 0 && g_run.carrier == Carrier::kKernel) {
    if (g_change_count < kMaxChanges && (change.call != SYS_setgroups || keeps_groups(&change))) {
      g_changes[g_change_count++] = change;
      g_adopted[g_current->index] = g_change_count;
    } else {
      note(kNoSite, "too many changes of users and groups: other threads keep theirs");
    }
  }
  return static_cast<int>(with_errno(result));
}

}  // namespace

void begin_identity(const ThreadSlot& thread) { g_adopted[thread.index] = g_change_count; }

void adopt_identity(const ThreadSlot& thread) {
  for (uint32_t& made = g_adopted[thread.index]; made < g_change_count; ++made) {
    const Change& c = g_changes[made];
    // Some threads have made the change, and this one cannot: glibc ends the program, too.
    if (sys(c.call, c.a, c.b, c.c) != 0) abort();
  }
}

}  // namespace heddle::rt

using namespace heddle;
using namespace heddle::rt;

namespace {

template <typename A = long, typename B = long, typename C = long>
Change change_of(long call, A a = 0, B b = 0, C c = 0) {
  return {call, word(a), word(b), word(c)};
}

}  // namespace

// glibc would signal every thread and wait for its answer; donors never answer.
#define HEDDLE_SET_ID(name, number, parameters, ...)                         \
  HEDDLE_EXPORT int name parameters noexcept {                               \
    static decltype(&::name) library;                                        \
    if (active()) return change_identity(change_of(number, __VA_ARGS__));    \
    if (library == nullptr) library = next_symbol<decltype(&::name)>(#name); \
    return library(__VA_ARGS__);                                             \
  }
HEDDLE_SET_ID(setuid, SYS_setuid, (uid_t a), a)
HEDDLE_SET_ID(setgid, SYS_setgid, (gid_t a), a)
HEDDLE_SET_ID(setreuid, SYS_setreuid, (uid_t a, uid_t b), a, b)
HEDDLE_SET_ID(setregid, SYS_setregid, (gid_t a, gid_t b), a, b)
HEDDLE_SET_ID(setresuid, SYS_setresuid, (uid_t a, uid_t b, uid_t c), a, b, c)
HEDDLE_SET_ID(setresgid, SYS_setresgid, (gid_t a, gid_t b, gid_t c), a, b, c)
HEDDLE_SET_ID(setgroups, SYS_setgroups, (size_t a, const gid_t* b), a, b)

constexpr uid_t kNobodyAtAll = static_cast<uid_t>(-1);
HEDDLE_EXPORT int seteuid(uid_t user) noexcept {
  return user == kNobodyAtAll ? static_cast<int>(with_errno(-EINVAL)) : setresuid(kNobodyAtAll, user, kNobodyAtAll);
}
HEDDLE_EXPORT int setegid(gid_t group) noexcept {
  return group == kNobodyAtAll ? static_cast<int>(with_errno(-EINVAL)) : setresgid(kNobodyAtAll, group, kNobodyAtAll);
}

HEDDLE_EXPORT int initgroups(const char* user, gid_t group) {
  static decltype(&::initgroups) library;
  static decltype(&::getgrouplist) list_groups;
  if (library == nullptr) library = next_symbol<decltype(&::initgroups)>("initgroups");
  if (!active()) return library(user, group);
  if (list_groups == nullptr) list_groups = next_symbol<decltype(&::getgrouplist)>("getgrouplist");
  gid_t groups[kMaxGroups];
  int count = kMaxGroups;
  if (list_groups(user, group, groups, &count) < 0) return static_cast<int>(with_errno(-EINVAL));
  return setgroups(static_cast<size_t>(count), groups);
}

#define HEDDLE_FORWARD(result, name, parameters, handle, ...) \
  HEDDLE_EXPORT result name parameters noexcept {             \
    BorrowedTid during(handle);                               \
    return by_tid().name(__VA_ARGS__);                        \
  }
// Underneath every thread is joinable: carrier.h.
HEDDLE_EXPORT int pthread_getattr_np(pthread_t handle, pthread_attr_t* attributes) noexcept {
  BorrowedTid during(handle);
  const int error = by_tid().pthread_getattr_np(handle, attributes);
  const ThreadSlot* t = error == 0 && active() ? slot_of(handle) : nullptr;
  if (t != nullptr && t->detached) pthread_attr_setdetachstate(attributes, PTHREAD_CREATE_DETACHED);
  return error;
}
HEDDLE_FORWARD(int, pthread_getschedparam, (pthread_t t, int* p, sched_param* s), t, t, p, s)
HEDDLE_EXPORT int pthread_setschedparam(pthread_t t, int policy, const sched_param* s) noexcept {
  if (active() && policy != SCHED_OTHER) note(caller_site(__builtin_return_address(0)), kNoPriorities);
  BorrowedTid during(t);
  return by_tid().pthread_setschedparam(t, policy, s);
}
HEDDLE_FORWARD(int, pthread_setschedprio, (pthread_t t, int p), t, t, p)
HEDDLE_FORWARD(int, pthread_setname_np, (pthread_t t, const char* n), t, t, n)
HEDDLE_FORWARD(int, pthread_getname_np, (pthread_t t, char* n, size_t s), t, t, n, s)
HEDDLE_FORWARD(int, pthread_getcpuclockid, (pthread_t t, clockid_t* c), t, t, c)
