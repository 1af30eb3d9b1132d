// Writes on descriptors: what goes out at once, and what waits at points until it has gone.
#include <errno.h>
#include <limits.h>
#include <sys/socket.h>

#include "runtime/base/sys.h"
#include "runtime/outside/descriptor_call.h"

namespace heddle::rt {

namespace {

constexpr int kNoWait = 8;  // RWF_NOWAIT

// As much as goes in without blocking: a write that fills a pipe would wait inside the kernel for the rest.
long write_some(int fd, bool socket, const char* data, size_t size) {
  if (socket) return sys(SYS_sendto, fd, data, size, MSG_DONTWAIT | MSG_NOSIGNAL, nullptr, 0);
  const iovec piece{const_cast<char*>(data), size};
  const long written = sys(SYS_pwritev2, fd, &piece, 1, -1, -1, kNoWait);
  if (written != -EOPNOTSUPP && written != -EINVAL && written != -ENOSYS) return written;
  // A pipe that polls as writable has room for a page.
  return sys(SYS_write, fd, data, size < PIPE_BUF ? size : PIPE_BUF);
}

// To an inherited stream: whole, as if its reader were always fast enough. Even where the program asked not to wait, how fast it is must
// not decide what the program does.
long write_out(int fd, const char* data, size_t size) {
  size_t done = 0;
  do {
    const long written = sys(SYS_write, fd, data + done, size - done);
    if (written == -EAGAIN) {
      pollfd watched{fd, POLLOUT, 0};
      sys(SYS_ppoll, &watched, 1, nullptr, nullptr, 8);
      if (!has_arrived()) continue;
    }
    if (written < 0) return done != 0 ? static_cast<long>(done) : written;
    done += static_cast<size_t>(written);
  } while (done < size);
  return static_cast<long>(done);
}

}  // namespace

long controlled_write(int fd, const char* data, size_t size, void* pc) {
  library_reads(data, size, pc);
  return write_under_control(fd, data, size, pc);
}

long write_under_control(int fd, const char* data, size_t size, void* pc) {
  const DescriptorCall call{fd, Op::kWrite, POLLOUT, false, size, pc};
  const DescriptorInfo info = describe(fd);
  descriptor_used(fd, pc);
  if (info.stream && info.reach == Reach::kForeign) return write_out(fd, data, size);
  const bool piecewise = (info.socket || info.stream) && is_controlled(call, info) && is_blocking(fd);
  if (!piecewise) {
    return controlled(call, info, [&] {
      return info.socket ? sys(SYS_sendto, fd, data, size, MSG_NOSIGNAL, nullptr, 0) : sys(SYS_write, fd, data, size);
    });
  }
  size_t done = 0;
  do {
    const long written = info.socket ? controlled(call, info, [&](int) { return write_some(fd, true, data + done, size - done); })
                                     : controlled(call, info, [&] { return write_some(fd, false, data + done, size - done); });
    if (written < 0) return done != 0 ? static_cast<long>(done) : written;
    done += static_cast<size_t>(written);
  } while (done < size);
  return static_cast<long>(done);
}

}  // namespace heddle::rt
