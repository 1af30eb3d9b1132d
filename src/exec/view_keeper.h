#pragma once
// The process that holds a worker's mount namespace. It is forked off a threaded tool and never executes anything: no allocation, no locks.
#include <sys/types.h>

namespace heddle::exec {

inline constexpr int kMaxRoots = 8;
inline constexpr int kMaxRebinds = 64;
inline constexpr int kMaxViewPath = 1024;

// Everything the keeper needs to know, prepared before the fork.
struct KeeperPlan {
  char roots[kMaxRoots][kMaxViewPath];  // outer ones before those below them
  int root_count = 0;
  // What an overlay would cut off from the world: mounts, sockets and FIFOs below the roots.
  char rebinds[kMaxRebinds][kMaxViewPath];
  int rebind_count = 0;
  char stage[64];  // an existing directory outside all roots, used while mounting and put back
  uid_t user;
  gid_t group;
};

// Commands, a byte each. Every answer is a KeeperAnswer; with success the directories come along (SCM_RIGHTS).
inline constexpr char kKeeperOpen = 'o';   // makes the namespace; the directories for placed files, one a root
inline constexpr char kKeeperMount = 'm';  // mounts afresh; the directories where writes land, one a root
inline constexpr char kKeeperKeep = 'k';   // the same, over what was written so far
inline constexpr char kKeeperAnew = 'a';   // the same, without what was kept

struct KeeperAnswer {
  int error = 0;  // errno
  char step[40] = {};
};

[[noreturn]] void keep_view(const KeeperPlan& plan, int socket);

}  // namespace heddle::exec
