#include "runtime/outside/common_state.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include "runtime/base/mappings.h"
#include "runtime/base/memory_map.h"
#include "runtime/base/sys.h"
#include "runtime/base/valgrind.h"
#include "runtime/engine/run.h"
#include "runtime/outside/pids.h"
#include "runtime/outside/uring.h"
#include "wire/inherited.h"

namespace heddle::rt {

namespace {

const char* g_made;

bool is_stream(const struct stat& file) {
  for (int i = 0; i < 3; ++i) {
    struct stat stream;
    if (sys(SYS_fstat, i, &stream) == 0 && stream.st_dev == file.st_dev && stream.st_ino == file.st_ino) return true;
  }
  return false;
}

// Valgrind keeps its own files above those that it lets the program open.
bool is_valgrinds(int fd) {
  rlimit files{};
  return under_valgrind() && sys(SYS_getrlimit, RLIMIT_NOFILE, &files) == 0 && static_cast<rlim_t>(fd) >= files.rlim_cur;
}

// A file with a name is put back by the view; one that is only read does not change.
const char* common_file(int fd) {
  constexpr long kMessageQueues = 0x19800202;
  struct stat status;
  struct statfs system;
  if (fd < 3 || fd == kInheritedChannel || is_valgrinds(fd) || sys(SYS_fstat, fd, &status) != 0 || (status.st_mode & S_IFMT) != S_IFREG)
    return nullptr;
  if (sys(SYS_fstatfs, fd, &system) == 0 && system.f_type == kMessageQueues) return "a message queue";
  const long flags = sys(SYS_fcntl, fd, F_GETFL);
  if (status.st_nlink > 0 || (flags & O_PATH) != 0 || (flags & O_ACCMODE) == O_RDONLY || is_stream(status)) return nullptr;
  return "a file without a name";
}

const char* common_descriptor() {
  const long directory = sys(SYS_open, "/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  if (directory < 0) return nullptr;
  const char* what = nullptr;
  alignas(8) char block[8192];
  for (long n; what == nullptr && (n = sys(SYS_getdents64, directory, block, sizeof block)) > 0;) {
    for (long at = 0; at < n && what == nullptr;) {
      const auto* entry = reinterpret_cast<const dirent64*>(block + at);
      at += entry->d_reclen;
      if (entry->d_name[0] != '.') what = common_file(atoi(entry->d_name));
    }
  }
  sys(SYS_close, directory);
  return what;
}

const char* common_memory() {
  bool any = false;
  char text[8192];
  for_each_mapping(text, [&](const Mapping& m) {
    if (!m.writable() || m.is_private()) return;
    any = any || (strstr(m.rest, "heddle-channel") == nullptr && !is_own_shared(m.low));
  });
  return any ? "shared memory" : nullptr;
}

}  // namespace

void made_in_kernel(const char* what) {
  if (!g_run.claimed) g_made = what;
}

const char* common_to_all_runs() {
  if (g_made != nullptr) return g_made;
  if (live_children() > 0) return "child processes";
  if (has_common_ring()) return "an io_uring";
  if (const char* what = common_descriptor()) return what;
  return common_memory();
}

}  // namespace heddle::rt
