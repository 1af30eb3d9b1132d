// Reads, writes and closes on descriptors that can block, and the pipes and events made inside the program.
#include <errno.h>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "runtime/base/random_bytes.h"
#include "runtime/base/real.h"
#include "runtime/base/real_io.h"
#include "runtime/base/sys.h"
#include "runtime/calls/random_streams.h"
#include "runtime/outside/delivery.h"
#include "runtime/outside/descriptor_call.h"
#include "runtime/outside/pids.h"
#include "runtime/outside/timers.h"

using namespace heddle;
using namespace heddle::rt;

namespace {

constexpr unsigned kSpliceNoWait = 2;  // SPLICE_F_NONBLOCK
constexpr size_t kSurePiece = 16384;

// The kernel knows other numbers of processes than the program.
void number_senders(signalfd_siginfo* records, size_t bytes) {
  for (size_t i = 0; i < bytes / sizeof *records; ++i)
    records[i].ssi_pid = static_cast<uint32_t>(seen_pid(static_cast<pid_t>(records[i].ssi_pid)));
}

ssize_t read_at(int fd, void* data, size_t size, void* pc) {
  const DescriptorInfo info = describe(fd);
  if ((info.random || is_random_stream(fd)) && seeded()) {
    descriptor_used(fd, pc);
    library_writes(data, size, pc);
    seeded_bytes(data, size);
    return static_cast<ssize_t>(size);
  }
  const iovec filled{data, size};
  const DescriptorCall call{fd, Op::kRead, POLLIN, false, size, pc, {&filled, 1, 0, 1}};
  if (info.socket && size != 0)
    return with_errno(controlled(call, info, [&](int how) { return sys(SYS_recvfrom, fd, data, size, how, nullptr, nullptr); }));
  const long read = controlled(call, info, [&] { return sys(SYS_read, fd, data, size); });
  if (tells_of_signals(fd, info, read)) number_senders(static_cast<signalfd_siginfo*>(data), static_cast<size_t>(read));
  return with_errno(read);
}

void made_pipe(const int* ends, const void* pc) {
  made_inside(ends[0], ends[0]);
  descriptor_made(ends[0], pc);
  descriptor_made(ends[1], pc);
}

}  // namespace

HEDDLE_EXPORT ssize_t read(int fd, void* data, size_t size) {
  if (!active()) return real_io().read(fd, data, size);
  return read_at(fd, data, size, __builtin_return_address(0));
}

HEDDLE_EXPORT ssize_t __read_chk(int fd, void* data, size_t size, size_t room) {
  if (size > room) abort();
  if (!active()) return real_io().read(fd, data, size);
  return read_at(fd, data, size, __builtin_return_address(0));
}

HEDDLE_EXPORT ssize_t readv(int fd, const iovec* pieces, int count) {
  if (!active()) return real_io().readv(fd, pieces, count);
  return with_errno(
      controlled({fd, Op::kRead, POLLIN, false, 0, __builtin_return_address(0), {pieces, count > 0 ? static_cast<size_t>(count) : 0, 0, 1}},
                 describe(fd), [&] { return sys(SYS_readv, fd, pieces, count); }));
}

HEDDLE_EXPORT ssize_t write(int fd, const void* data, size_t size) {
  if (!active()) return real_io().write(fd, data, size);
  return with_errno(controlled_write(fd, static_cast<const char*>(data), size, __builtin_return_address(0)));
}

HEDDLE_EXPORT ssize_t writev(int fd, const iovec* pieces, int count) {
  if (!active()) return real_io().writev(fd, pieces, count);
  void* pc = __builtin_return_address(0);
  DescriptorCall call{fd, Op::kWrite, POLLOUT, false, 0, pc};
  const DescriptorInfo info = describe(fd);
  const bool out = info.stream && info.reach == Reach::kForeign;
  if (!out && (!(info.socket || info.stream) || !is_blocking(fd))) {
    if (count > 0) library_reads_pieces(pieces, static_cast<size_t>(count), pc);
    for (int i = 0; i < count; ++i) call.want += pieces[i].iov_len;
    msghdr all{};
    all.msg_iov = const_cast<iovec*>(pieces);
    all.msg_iovlen = count > 0 ? static_cast<size_t>(count) : 0;
    return with_errno(controlled(
        call, info, [&] { return info.socket ? sys(SYS_sendmsg, fd, &all, MSG_NOSIGNAL) : sys(SYS_writev, fd, pieces, count); }));
  }
  ssize_t done = 0;
  for (int i = 0; i < count; ++i) {
    if (pieces[i].iov_len == 0) continue;
    const long written = controlled_write(fd, static_cast<const char*>(pieces[i].iov_base), pieces[i].iov_len, pc);
    if (written < 0) return done != 0 ? done : with_errno(written);
    done += written;
    if (static_cast<size_t>(written) < pieces[i].iov_len) break;
  }
  return done;
}

// A short count is a right answer to all of these: no more than what surely goes through without waiting.
HEDDLE_EXPORT ssize_t sendfile(int out, int in, off_t* offset, size_t count) noexcept {
  if (!active()) return with_errno(sys(SYS_sendfile, out, in, offset, count));
  const DescriptorInfo info = describe(out);
  const size_t most = info.reach == Reach::kPlain || info.reach == Reach::kForeign || count < kSurePiece ? count : kSurePiece;
  DescriptorCall call{out, Op::kWrite, POLLOUT, false, count, __builtin_return_address(0)};
  call.want = most;
  call.quiet = !replays_inputs();  // the kernel sends SIGPIPE itself
  const long result = controlled(call, info, [&] { return sys(SYS_sendfile, out, in, offset, most); });
  return with_errno(result);
}
HEDDLE_EXPORT ssize_t sendfile64(int out, int in, off_t* offset, size_t count) noexcept __attribute__((alias("sendfile")));

namespace {

// It waits for its input and then for room, as the kernel does. `call` gets the flags.
template <typename Call>
ssize_t between_pipes(int in, int out, size_t count, unsigned flags, void* pc, Call call) {
  const bool tries = (flags & kSpliceNoWait) != 0;
  const DescriptorInfo source = describe(in);
  const DescriptorInfo sink = describe(out);
  if (source.reach != Reach::kPlain) {
    const long waited = controlled({in, Op::kRead, POLLIN, tries, count, pc}, source, [] { return 0L; });
    if (waited < 0) return with_errno(waited);
  }
  DescriptorCall write{out, Op::kWrite, POLLOUT, tries, count, pc};
  write.quiet = !replays_inputs();  // the kernel sends SIGPIPE itself
  const unsigned how = is_controlled(write, sink) ? flags | kSpliceNoWait : flags;
  return with_errno(controlled(write, sink, [&] { return call(how); }));
}

}  // namespace

HEDDLE_EXPORT ssize_t splice(int in, off64_t* in_offset, int out, off64_t* out_offset, size_t count, unsigned flags) {
  if (!active()) return with_errno(sys(SYS_splice, in, in_offset, out, out_offset, count, flags));
  return between_pipes(in, out, count, flags, __builtin_return_address(0),
                       [&](unsigned how) { return sys(SYS_splice, in, in_offset, out, out_offset, count, how); });
}

HEDDLE_EXPORT ssize_t tee(int in, int out, size_t count, unsigned flags) {
  if (!active()) return with_errno(sys(SYS_tee, in, out, count, flags));
  return between_pipes(in, out, count, flags, __builtin_return_address(0), [&](unsigned how) { return sys(SYS_tee, in, out, count, how); });
}

HEDDLE_EXPORT ssize_t vmsplice(int fd, const iovec* pieces, size_t count, unsigned flags) {
  if (!active()) return with_errno(sys(SYS_vmsplice, fd, pieces, count, flags));
  const bool reads = (sys(SYS_fcntl, fd, F_GETFL) & O_ACCMODE) == O_RDONLY;
  const DescriptorInfo info = describe(fd);
  size_t bytes = 0;
  for (size_t i = 0; i < count; ++i) bytes += pieces[i].iov_len;
  DescriptorCall call{fd,    reads ? Op::kRead : Op::kWrite, static_cast<short>(reads ? POLLIN : POLLOUT), (flags & kSpliceNoWait) != 0,
                      bytes, __builtin_return_address(0)};
  if (reads) call.filled = {pieces, count, 0, 1};
  call.quiet = !replays_inputs();
  const unsigned how = is_controlled(call, info) ? flags | kSpliceNoWait : flags;
  return with_errno(controlled(call, info, [&] { return sys(SYS_vmsplice, fd, pieces, count, how); }));
}

HEDDLE_EXPORT int close(int fd) {
  if (!active()) {
    forget_descriptor(fd);
    return real_io().close(fd);
  }
  test_cancel(__builtin_return_address(0));
  descriptor_closed(fd, __builtin_return_address(0));
  if (Timer* timer = find_timer(TimerKind::kDescriptor, fd)) free_timer(timer);
  const DescriptorInfo info = describe(fd);
  // Whether an inherited stream is a pipe or a file is not the program's matter.
  if (info.reach != Reach::kPlain && !(info.reach == Reach::kForeign && info.stream)) {
    Pending p{};
    p.op = Op::kClose;
    p.object = descriptor_object(info);
    p.site = caller_site(__builtin_return_address(0));
    point(p);
  }
  forget_descriptor(fd);
  return static_cast<int>(with_errno(sys(SYS_close, fd)));
}

HEDDLE_EXPORT int pipe2(int ends[2], int flags) noexcept {
  const long result = sys(SYS_pipe2, ends, flags);
  if (result == 0 && active()) made_pipe(ends, __builtin_return_address(0));
  return static_cast<int>(with_errno(result));
}

HEDDLE_EXPORT int pipe(int ends[2]) noexcept {
  const long result = sys(SYS_pipe2, ends, 0);
  if (result == 0 && active()) made_pipe(ends, __builtin_return_address(0));
  return static_cast<int>(with_errno(result));
}
