// Calls that read a directory by calls of their own inside of the C library: in a recording they go through ours, whose listings are input
// (outside/listings.h).
#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/base/real.h"
#include "runtime/base/real_io.h"
#include "runtime/outside/recorded_names.h"

using namespace heddle;
using namespace heddle::rt;

namespace {

using Filter = int (*)(const dirent*);
using Compare = int (*)(const dirent**, const dirent**);

dirent* copy_of(const dirent& entry) {
  const size_t size = (offsetof(dirent, d_name) + strlen(entry.d_name) + 1 + 7) & ~size_t{7};
  auto* copy = static_cast<dirent*>(malloc(size));
  if (copy == nullptr) return nullptr;
  memcpy(copy, &entry, offsetof(dirent, d_name) + strlen(entry.d_name) + 1);
  copy->d_reclen = static_cast<unsigned short>(size);
  return copy;
}

// The entries that are wanted, in a block of their own; how many, or -1.
int collect(DIR* directory, Filter filter, dirent*** list) {
  dirent** all = nullptr;
  int count = 0;
  int room = 0;
  while (const dirent* entry = readdir(directory)) {
    if (filter != nullptr && filter(entry) == 0) continue;
    if (count == room) {
      room = room == 0 ? 16 : room * 2;
      auto** more = static_cast<dirent**>(realloc(all, static_cast<size_t>(room) * sizeof(dirent*)));
      if (more == nullptr) break;
      all = more;
    }
    if ((all[count] = copy_of(*entry)) == nullptr) break;
    ++count;
  }
  *list = all;
  return count;
}

int scan(const char* path, dirent*** list, Filter filter, Compare compare) {
  DIR* directory = opendir(path);
  if (directory == nullptr) return -1;
  dirent** all = nullptr;
  const int count = collect(directory, filter, &all);
  closedir(directory);
  if (compare != nullptr && count > 1)
    qsort(all, static_cast<size_t>(count), sizeof(dirent*), reinterpret_cast<int (*)(const void*, const void*)>(compare));
  *list = all;
  return count;
}

void close_it(void* directory) { closedir(static_cast<DIR*>(directory)); }
dirent* read_it(void* directory) { return readdir(static_cast<DIR*>(directory)); }
void* open_it(const char* path) { return opendir(path); }

}  // namespace

HEDDLE_EXPORT int scandir(const char* path, dirent*** list, Filter filter, Compare compare) {
  static int (*next)(const char*, dirent***, Filter, Compare);
  if (next == nullptr) next = next_symbol<decltype(next)>("scandir");
  return keeps_names() ? scan(path, list, filter, compare) : next(path, list, filter, compare);
}
HEDDLE_EXPORT int scandir64(const char* path, dirent64*** list, int (*filter)(const dirent64*),
                            int (*compare)(const dirent64**, const dirent64**)) __attribute__((alias("scandir")));

HEDDLE_EXPORT int glob(const char* pattern, int flags, int (*failed)(const char*, int), glob_t* found) {
  static int (*next)(const char*, int, int (*)(const char*, int), glob_t*);
  if (next == nullptr) next = next_symbol<decltype(next)>("glob");
  if (!keeps_names() || (flags & GLOB_ALTDIRFUNC) != 0) return next(pattern, flags, failed, found);
  found->gl_closedir = close_it;
  found->gl_readdir = read_it;
  found->gl_opendir = open_it;
  found->gl_lstat = lstat;
  found->gl_stat = stat;
  const int result = next(pattern, flags | GLOB_ALTDIRFUNC, failed, found);
  found->gl_flags &= ~GLOB_ALTDIRFUNC;
  return result;
}
HEDDLE_EXPORT int glob64(const char* pattern, int flags, int (*failed)(const char*, int), glob64_t* found) __attribute__((alias("glob")));
