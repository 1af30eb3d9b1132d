// Names of temporary files and directories. The C library draws them where nobody sees it: they would differ from run to run, and in a replay.
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/placement.h"
#include "runtime/base/random_bytes.h"
#include "runtime/base/real.h"
#include "runtime/base/real_io.h"
#include "runtime/base/sys.h"
#include "runtime/engine/run.h"
#include "runtime/outside/descriptor_call.h"
#include "runtime/outside/pids.h"
#include "runtime/outside/recorded_names.h"

using namespace heddle;
using namespace heddle::rt;

namespace {

constexpr size_t kDrawn = 6;  // letters
constexpr int kMostTries = 62 * 62 * 62;

HEDDLE_APART uint64_t g_names_drawn[kMaxThreads];  // a stream of their own: the program's numbers stay what they are

void draw(char* letters) {
  constexpr const char* kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  uint64_t word = mix(mix(g_run.plan.header->env_seed, g_current->id), mix(0x7E3, ++g_names_drawn[g_current->index]));
  for (size_t i = 0; i < kDrawn; ++i, word /= 62) letters[i] = kLetters[word % 62];
}

// `make` returns what it made, or -errno; `again` takes one that is there. What the recording made may have been left, and is there now.
template <typename Make, typename Again>
long make_once(Make make, Again again) {
  if (!keeps_names()) return make();
  long recorded = 0;
  const bool replays = replays_inputs();
  if (replays && !take_input(kTemporaryName, {}, &recorded)) return make();
  if (replays && replays_exactly() && recorded < 0) {
    log_input(kTemporaryName, {}, recorded);
    return recorded;
  }
  const long made = make();
  log_input(kTemporaryName, {}, made < 0 && !replays ? made : 0);
  return made == -EEXIST && replays_exactly() ? again() : made;
}

// The letters before the last `suffix` characters of the name. -1: there are none to be replaced.
template <typename Make>
long make_temporary(char* name, int suffix, Make make) {
  const size_t length = strlen(name);
  if (suffix < 0 || length < kDrawn + static_cast<size_t>(suffix)) return -EINVAL;
  char* letters = name + length - static_cast<size_t>(suffix) - kDrawn;
  if (strncmp(letters, "XXXXXX", kDrawn) != 0) return -EINVAL;
  for (int i = 0; i < kMostTries; ++i) {
    draw(letters);
    const RealPath path(name);
    const char* real = path;
    const long made = make_once([&] { return make(real, O_EXCL); }, [&] { return make(real, 0); });
    if (made != -EEXIST) return made;
  }
  return -EEXIST;
}

int temporary_file(char* name, int suffix, int flags) {
  return static_cast<int>(with_errno(make_temporary(name, suffix, [&](const char* path, int exclusive) {
    return sys(SYS_openat, AT_FDCWD, path, (flags & ~O_ACCMODE) | O_RDWR | O_CREAT | exclusive, 0600);
  })));
}

bool draws() { return active() && seeded(); }

}  // namespace

// The library's own where nothing is to be the same again.
#define HEDDLE_TEMPORARY(name, parameters, arguments, suffix, flags)       \
  HEDDLE_EXPORT int name parameters {                                      \
    static decltype(&::name) next;                                         \
    if (next == nullptr) next = next_symbol<decltype(&::name)>(#name);     \
    return draws() ? temporary_file(form, suffix, flags) : next arguments; \
  }                                                                        \
  HEDDLE_EXPORT int name##64 parameters __attribute__((alias(#name)));
HEDDLE_TEMPORARY(mkstemp, (char* form), (form), 0, 0)
HEDDLE_TEMPORARY(mkostemp, (char* form, int flags), (form, flags), 0, flags)
HEDDLE_TEMPORARY(mkstemps, (char* form, int suffix), (form, suffix), suffix, 0)
HEDDLE_TEMPORARY(mkostemps, (char* form, int suffix, int flags), (form, suffix, flags), suffix, flags)

HEDDLE_EXPORT char* mkdtemp(char* form) noexcept {
  static decltype(&::mkdtemp) next;
  if (next == nullptr) next = next_symbol<decltype(&::mkdtemp)>("mkdtemp");
  if (!draws()) return next(form);
  const long made = make_temporary(form, 0, [](const char* path, int exclusive) {
    const long result = sys(SYS_mkdirat, AT_FDCWD, path, 0700);
    return result == -EEXIST && exclusive == 0 ? 0 : result;
  });
  return with_errno(made) < 0 ? nullptr : form;
}
