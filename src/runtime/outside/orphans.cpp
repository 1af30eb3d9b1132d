#include "runtime/outside/orphans.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/base/sys.h"
#include "runtime/engine/run.h"
#include "runtime/outside/descriptors.h"
#include "runtime/outside/pids.h"

namespace heddle::rt {

namespace {

// Calls `visit` with each number that is a name in the directory, until it says true.
template <typename Visit>
bool any_number(const char* directory, Visit visit) {
  const long fd = sys(SYS_open, directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  if (fd < 0) return false;
  alignas(8) char block[2048];
  bool found = false;
  for (long n = 0; !found && (n = sys(SYS_getdents64, fd, block, sizeof block)) > 0;) {
    for (long at = 0; at < n && !found;) {
      const auto* entry = reinterpret_cast<const dirent64*>(block + at);
      at += entry->d_reclen;
      const char first = entry->d_name[0];
      if (first >= '0' && first <= '9') found = visit(static_cast<int>(strtol(entry->d_name, nullptr, 10)));
    }
  }
  sys(SYS_close, fd);
  return found;
}

pid_t parent_of(pid_t process) {
  char path[32];
  char text[256];
  snprintf(path, sizeof path, "/proc/%d/stat", process);
  const long fd = sys(SYS_open, path, O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0) return 0;
  const long n = sys(SYS_read, fd, text, sizeof text - 1);
  sys(SYS_close, fd);
  if (n <= 0) return 0;
  text[n] = 0;
  const char* name_ends = strrchr(text, ')');  // then " S ", and the parent
  return name_ends == nullptr || name_ends + 4 >= text + n ? 0 : static_cast<pid_t>(strtol(name_ends + 4, nullptr, 10));
}

// A process that makes runs as copies of itself has what was made before them, and so have the other copies; they use none of it. Where the
// tool starts each run, orphans become its children.
bool makes_runs(pid_t process) {
  const auto maker = static_cast<pid_t>(sys(SYS_getppid));
  if (process == sys(SYS_getpid)) return true;
  return maker != g_run.control->tool_pid && (process == maker || parent_of(process) == maker);
}

bool has_end_of(pid_t process, int name) {
  char directory[32];
  snprintf(directory, sizeof directory, "/proc/%d/fd", process);
  return any_number(directory, [&](int fd) {
    char path[48];
    struct stat status;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", process, fd);
    return sys(SYS_stat, path, &status) == 0 && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode)) &&
           name_of_made(status.st_ino) == name;
  });
}

struct {
  uint32_t births;
  int name;
} g_nobody;  // has this one: once nobody has, nobody gets it but a new child

bool left_with_orphan(int name) {
  if (g_nobody.births == births() && g_nobody.name == name) return false;
  if (any_number("/proc", [&](int process) { return has_end_of(process, name) && !makes_runs(process); })) return true;
  g_nobody = {births(), name};
  return false;
}

}  // namespace

bool left_with_orphans(const DescriptorWait& wait) {
  if (births() == 0 || live_children() > 0) return false;  // a child that lives reaches outside anyway
  for (nfds_t i = 0; i < wait.count; ++i) {
    if (wait.fds[i].fd < 0) continue;
    const DescriptorInfo info = describe(wait.fds[i].fd);
    if (info.reach == Reach::kInside && (info.socket || info.stream) && left_with_orphan(info.name)) return true;
  }
  return descriptors_ready(wait);  // the last one that had it may have ended since the thread was found to wait
}

}  // namespace heddle::rt
