// Calls that make, remove and rename files: whether they succeed is input of a recording. After it the files are there, or gone.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/real.h"
#include "runtime/base/real_io.h"
#include "runtime/base/sys.h"
#include "runtime/engine/run.h"
#include "runtime/outside/recorded_names.h"

using namespace heddle;
using namespace heddle::rt;

#define HEDDLE_CHANGE(name, parameters, ...)                                              \
  HEDDLE_EXPORT int name parameters noexcept {                                            \
    static decltype(&::name) library;                                                     \
    if (library == nullptr) library = next_symbol<decltype(&::name)>(#name);              \
    const auto change = [&]() -> long { return library(__VA_ARGS__) == 0 ? 0 : -errno; }; \
    return static_cast<int>(with_errno(change_files(change)));                            \
  }
HEDDLE_CHANGE(mkdir, (const char* p, mode_t m), p, m)
HEDDLE_CHANGE(mkdirat, (int d, const char* p, mode_t m), d, p, m)
HEDDLE_CHANGE(rmdir, (const char* p), p)
HEDDLE_CHANGE(unlink, (const char* p), p)
HEDDLE_CHANGE(unlinkat, (int d, const char* p, int f), d, p, f)
HEDDLE_CHANGE(remove, (const char* p), p)
HEDDLE_CHANGE(rename, (const char* a, const char* b), a, b)
HEDDLE_CHANGE(renameat, (int d, const char* a, int e, const char* b), d, a, e, b)
HEDDLE_CHANGE(renameat2, (int d, const char* a, int e, const char* b, unsigned f), d, a, e, b, f)
HEDDLE_CHANGE(link, (const char* a, const char* b), a, b)
HEDDLE_CHANGE(symlink, (const char* a, const char* b), a, b)
HEDDLE_CHANGE(truncate, (const char* p, off_t n), p, n)
HEDDLE_CHANGE(truncate64, (const char* p, off64_t n), p, n)
HEDDLE_CHANGE(ftruncate, (int fd, off_t n), fd, n)
HEDDLE_CHANGE(ftruncate64, (int fd, off64_t n), fd, n)
