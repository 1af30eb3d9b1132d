// What the kernel says of the machine and of file systems: input of a recording.
#include <errno.h>
#include <stdlib.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "runtime/base/real.h"
#include "runtime/base/real_io.h"
#include "runtime/base/sys.h"
#include "runtime/engine/run.h"
#include "runtime/outside/recorded_names.h"

using namespace heddle;
using namespace heddle::rt;

#define HEDDLE_ASK(name, type, parameters, ...)                                        \
  HEDDLE_EXPORT int name parameters noexcept {                                         \
    static decltype(&::name) library;                                                  \
    if (library == nullptr) library = next_symbol<decltype(&::name)>(#name);           \
    const iovec filled{s, sizeof(type)};                                               \
    const auto ask = [&]() -> long { return library(__VA_ARGS__) == 0 ? 0 : -errno; }; \
    return static_cast<int>(with_errno(ask_kernel({&filled, 1, 1, 0}, ask)));          \
  }
HEDDLE_ASK(sysinfo, struct sysinfo, (struct sysinfo * s), s)
HEDDLE_ASK(fstatfs, struct statfs, (int fd, struct statfs* s), fd, s)
HEDDLE_ASK(fstatfs64, struct statfs64, (int fd, struct statfs64* s), fd, s)
HEDDLE_ASK(fstatvfs, struct statvfs, (int fd, struct statvfs* s), fd, s)
HEDDLE_ASK(fstatvfs64, struct statvfs64, (int fd, struct statvfs64* s), fd, s)

HEDDLE_EXPORT int getloadavg(double* loads, int count) noexcept {
  static decltype(&::getloadavg) library;
  if (library == nullptr) library = next_symbol<decltype(&::getloadavg)>("getloadavg");
  const iovec filled{loads, count > 0 ? static_cast<size_t>(count) * sizeof *loads : 0};
  return static_cast<int>(ask_kernel({&filled, 1, 0, sizeof *loads}, [&]() -> long { return library(loads, count); }));
}

// Of all that it tells, what is free differs from one moment to the next.
HEDDLE_EXPORT long sysconf(int name) noexcept {
  static decltype(&::sysconf) library;
  if (library == nullptr) library = next_symbol<decltype(&::sysconf)>("sysconf");
  if (name != _SC_AVPHYS_PAGES) return library(name);
  return ask_kernel({nullptr, 0, 0, 1}, [&] { return library(name); });
}

HEDDLE_EXPORT long get_avphys_pages() noexcept { return sysconf(_SC_AVPHYS_PAGES); }
