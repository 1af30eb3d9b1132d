#include "runtime/calls/random_streams.h"

#include <fcntl.h>
#include <sys/mman.h>

#include "runtime/base/random_bytes.h"
#include "runtime/base/sys.h"
#include "runtime/outside/descriptor_facts.h"
#include "runtime/outside/descriptors.h"

namespace heddle::rt {

namespace {

constexpr long kBytes = 256 << 10;  // no single read of a stream is larger
constexpr uint32_t kMostStreams = 16;
struct RandomFile {
  int fd;
  uint64_t inode;  // 0: free
};
RandomFile g_random_files[kMostStreams];

void fill_random(int fd) {
  char block[4096];
  for (long at = 0; at < kBytes; at += static_cast<long>(sizeof block)) {
    seeded_bytes(block, sizeof block);
    sys(SYS_pwrite64, fd, block, sizeof block, at);
  }
  sys(SYS_lseek, fd, 0, SEEK_SET);
}

}  // namespace

bool is_random_stream(int fd) {
  for (const RandomFile& f : g_random_files) {
    if (f.inode != 0 && f.fd == fd) return facts_of(fd)->inode == f.inode;
  }
  return false;
}

void seed_stream(FILE* stream) {
  const int fd = stream->_fileno;
  if (fd < 0 || !seeded() || !describe(fd).random) return;
  const long file = sys(SYS_memfd_create, "random", MFD_CLOEXEC);
  if (file < 0) return;
  fill_random(static_cast<int>(file));
  sys(SYS_dup3, file, fd, (sys(SYS_fcntl, fd, F_GETFD) & FD_CLOEXEC) != 0 ? O_CLOEXEC : 0);
  sys(SYS_close, file);
  forget_descriptor(fd);
  for (RandomFile& f : g_random_files) {
    if (f.inode != 0 && f.fd != fd && is_random_stream(f.fd)) continue;
    f = {fd, facts_of(fd)->inode};
    return;
  }
}

void seed_stream_again(FILE* stream) {
  const int fd = stream->_fileno;
  if (fd < 0 || stream->_IO_read_ptr < stream->_IO_read_end || !is_random_stream(fd)) return;
  if (sys(SYS_lseek, fd, 0, SEEK_CUR) > kBytes / 2) fill_random(fd);
}

}  // namespace heddle::rt
