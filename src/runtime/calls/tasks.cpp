// Directories. That of the program's own threads below /proc shows those of the run, by their numbers there: the kernel's threads are others,
// and stay for longer. The listings of others are input (outside/listings.h).
#include <dirent.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/real.h"
#include "runtime/base/real_io.h"
#include "runtime/engine/run.h"
#include "runtime/outside/listings.h"
#include "runtime/outside/pids.h"
#include "runtime/outside/recorded_names.h"

using namespace heddle;
using namespace heddle::rt;

#define HEDDLE_NEXT(name)        \
  static decltype(&::name) next; \
  if (next == nullptr) next = next_symbol<decltype(&::name)>(#name);

namespace {

struct TaskList {
  DIR* directory;  // nullptr: free
  uint32_t next;   // 0 and 1 are the directory itself and its parent, then come the threads
  dirent entry;
};
constexpr uint32_t kMaxTaskLists = 8;
TaskList g_task_lists[kMaxTaskLists];

TaskList* task_list(const DIR* directory) {
  for (TaskList& list : g_task_lists) {
    if (list.directory == directory) return &list;
  }
  return nullptr;
}

bool is_own_tasks(const char* path) {
  if (path == nullptr || strncmp(path, "/proc/", 6) != 0) return false;
  char own[48];
  snprintf(own, sizeof own, "/proc/%d/task", program_pid());
  const size_t length = strlen(path);
  const size_t wanted = length > 0 && path[length - 1] == '/' ? length - 1 : length;
  const auto is = [&](const char* name) { return strlen(name) == wanted && strncmp(path, name, wanted) == 0; };
  return is("/proc/self/task") || is(own);
}

dirent* next_entry(TaskList* list) {
  const uint32_t at = list->next;
  if (at >= g_live_count + 2) return nullptr;
  ++list->next;
  dirent& e = list->entry;
  memset(&e, 0, sizeof e);
  e.d_type = DT_DIR;
  e.d_off = at + 1;
  e.d_reclen = sizeof e;
  if (at < 2) {
    strcpy(e.d_name, at == 0 ? "." : "..");
  } else {
    snprintf(e.d_name, sizeof e.d_name, "%d", program_tid(g_threads[g_live[at - 2].slot]));
  }
  e.d_ino = at + 1;
  return &e;
}

}  // namespace

namespace {

dirent* read_really(DIR* directory) {
  HEDDLE_NEXT(readdir)
  return next(directory);
}

void rewind_really(DIR* directory) {
  HEDDLE_NEXT(rewinddir)
  next(directory);
}

// A listing is taken from the recording, or kept for one.
DIR* opened(DIR* directory) {
  if (directory != nullptr) keep_listing(directory, read_really, rewind_really);
  return directory;
}

}  // namespace

HEDDLE_EXPORT DIR* fdopendir(int fd) {
  HEDDLE_NEXT(fdopendir)
  if (!replays_listing()) return opened(next(fd));
  DIR* directory = next(fd);
  take_listing(directory);
  return directory;
}

HEDDLE_EXPORT DIR* opendir(const char* path) {
  HEDDLE_NEXT(opendir)
  const bool tasks = active() && is_own_tasks(path);
  DIR* directory = nullptr;
  bool asked = false;  // the recording does not say that it was missing
  const long error = ask_for_name([&]() -> long {
    asked = true;
    directory = next(RealPath(path));
    return directory != nullptr ? 0 : -errno;
  });
  if (asked && !tasks && replays_listing()) {
    if (directory == nullptr) directory = next("/");
    take_listing(directory);
    return directory;
  }
  if (error != 0) errno = static_cast<int>(-error);
  if (directory == nullptr || !tasks) return opened(directory);
  if (TaskList* list = task_list(nullptr)) {
    list->directory = directory;
    list->next = 0;
  }
  return directory;
}

HEDDLE_EXPORT dirent* readdir(DIR* directory) {
  HEDDLE_NEXT(readdir)
  if (has_listing(directory)) return next_listed(directory);
  TaskList* list = active() ? task_list(directory) : nullptr;
  return list != nullptr ? next_entry(list) : next(directory);
}
HEDDLE_EXPORT dirent64* readdir64(DIR* directory) __attribute__((alias("readdir")));

// Into the caller's own entry, whose name may have less room than ours.
HEDDLE_EXPORT int readdir_r(DIR* directory, dirent* entry, dirent** result) {
  static int (*next)(DIR*, dirent*, dirent**);
  if (next == nullptr) next = next_symbol<decltype(next)>("readdir_r");
  if (!has_listing(directory) && (!active() || task_list(directory) == nullptr)) return next(directory, entry, result);
  const dirent* read = readdir(directory);
  if (read != nullptr) memcpy(entry, read, offsetof(dirent, d_name) + strlen(read->d_name) + 1);
  *result = read != nullptr ? entry : nullptr;
  return 0;
}
HEDDLE_EXPORT int readdir64_r(DIR* directory, dirent64* entry, dirent64** result) __attribute__((alias("readdir_r")));

HEDDLE_EXPORT void rewinddir(DIR* directory) noexcept {
  if (TaskList* list = task_list(directory)) list->next = 0;
  rewind_really(directory);
  // Another look: it shows what has changed since.
  if (!has_listing(directory)) return;
  forget_listing(directory);
  if (replays_listing()) {
    take_listing(directory);
  } else {
    opened(directory);
  }
}

HEDDLE_EXPORT long telldir(DIR* directory) noexcept {
  HEDDLE_NEXT(telldir)
  return has_listing(directory) ? *place_in_listing(directory) : next(directory);
}

HEDDLE_EXPORT void seekdir(DIR* directory, long place) noexcept {
  HEDDLE_NEXT(seekdir)
  if (has_listing(directory)) {
    *place_in_listing(directory) = place;
  } else {
    next(directory, place);
  }
}

HEDDLE_EXPORT int closedir(DIR* directory) {
  HEDDLE_NEXT(closedir)
  if (TaskList* list = task_list(directory)) list->directory = nullptr;
  if (has_listing(directory)) forget_listing(directory);
  return next(directory);
}
