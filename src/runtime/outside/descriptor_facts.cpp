#include "runtime/outside/descriptor_facts.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include "runtime/base/placement.h"
#include "runtime/base/sys.h"
#include "runtime/engine/run.h"
#include "runtime/outside/input_log.h"

namespace heddle::rt {

namespace {

constexpr unsigned kKept = 4096;
struct Kept {
  bool valid;
  DescriptorFacts facts;
};
HEDDLE_APART Kept g_kept[kKept];
unsigned g_end;  // no number from here on is kept
uint64_t g_key;
uint64_t g_births;
constexpr uint64_t kNeverKey = ~uint64_t{0};

bool keeps(int fd) { return (g_run.control->mode == Mode::kOnce || plays_peers()) && static_cast<unsigned>(fd) < kKept; }

void ask(int fd, DescriptorFacts* facts, const struct stat* known = nullptr) {
  struct stat status;
  *facts = {0, 0, kNoFile, -1, Anonymous::kUnknown, FileKind::kOther, {false, false}, {0, 0}, 0, -1, kNeverKey};
  if (known != nullptr) {
    status = *known;
  } else if (sys(SYS_fstat, fd, &status) != 0) {
    return;
  }
  facts->inode = status.st_ino;
  facts->device = status.st_rdev;
  facts->mode = status.st_mode;
  if (S_ISREG(status.st_mode) && status.st_nlink != 0) facts->file = FileKind::kUnknown;
}

bool is_of_kernel(int fd) {
  // proc, sysfs, cgroups, debugfs, tracefs
  static constexpr long kSystems[] = {0x9fa0, 0x62656572, 0x63677270, 0x27e0eb, 0x64626720, 0x74726163};
  struct statfs system;
  if (sys(SYS_fstatfs, fd, &system) != 0) return false;
  for (const long kind : kSystems) {
    if (system.f_type == kind) return true;
  }
  return false;
}

FileKind kind_of_file(bool of_kernel, long flags) {
  return of_kernel ? FileKind::kKernels : (flags & O_ACCMODE) == O_RDWR ? FileKind::kChanged : FileKind::kOther;
}

FileKind ask_kind_of_file(int fd) {
  const bool of_kernel = is_of_kernel(fd);
  return kind_of_file(of_kernel, of_kernel ? 0 : sys(SYS_fcntl, fd, F_GETFL));
}

}  // namespace

namespace {

DescriptorFacts* keep(int fd, const struct stat* known) {
  Kept& k = g_kept[fd];
  ask(fd, &k.facts, known);
  k.facts.birth = ++g_births;
  k.valid = k.facts.mode != kNoFile && !S_ISDIR(k.facts.mode);  // the C library closes directories itself
  if (k.valid && static_cast<unsigned>(fd) >= g_end) g_end = static_cast<unsigned>(fd) + 1;
  return &k.facts;
}

}  // namespace

DescriptorFacts* facts_of(int fd) {
  static DescriptorFacts once;
  if (!keeps(fd)) {
    ask(fd, &once);
    return &once;
  }
  return g_kept[fd].valid ? &g_kept[fd].facts : keep(fd, nullptr);
}

void opened(int fd, const struct stat& status, int flags) {
  if (!keeps(fd)) return;
  DescriptorFacts* facts = keep(fd, &status);
  if (facts->file != FileKind::kUnknown) return;
  // Of the file system that was asked last, nearly always.
  static uint64_t device = kNeverKey;
  static bool of_kernel;
  if (device != status.st_dev) of_kernel = is_of_kernel(fd);
  device = status.st_dev;
  facts->file = kind_of_file(of_kernel, flags);
}

FileKind file_kind(int fd) {
  DescriptorFacts* facts = facts_of(fd);
  if (facts->file == FileKind::kUnknown) facts->file = ask_kind_of_file(fd);
  return facts->file;
}

DescriptorFacts* kept_facts(int fd) { return keeps(fd) ? facts_of(fd) : nullptr; }

void forget_descriptor(int fd) {
  if (static_cast<unsigned>(fd) >= g_end) return;
  g_kept[fd].valid = false;
  ++g_key;
}

void forget_descriptors(unsigned first, unsigned last) {
  for (unsigned fd = first; fd < g_end && fd <= last; ++fd) g_kept[fd].valid = false;
  ++g_key;
}

void forget_flags(int fd) {
  if (g_end == 0 || !keeps(fd)) return;
  const uint64_t inode = facts_of(fd)->inode;  // it may be another number of a file that is known
  for (unsigned i = 0; i < g_end; ++i) {
    DescriptorFacts& f = g_kept[i].facts;
    if (f.inode != inode) continue;
    f.blocking = -1;
    f.has_timeout[0] = f.has_timeout[1] = false;
  }
}

void reach_changed() { ++g_key; }
uint64_t facts_key() { return g_key; }

void members_changed(int epoll, int member) {
  ++g_key;
  if (static_cast<unsigned>(epoll) >= g_end) return;
  DescriptorFacts& f = g_kept[epoll].facts;
  if (f.witness == member) f.witness_key = kNeverKey;
}

}  // namespace heddle::rt
