// Asynchronous I/O: each request is a thread of the run, so that when it completes is a matter of the schedule. The C library's own would
// be threads that nobody controls.
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/placement.h"
#include "runtime/base/real.h"
#include "runtime/base/real_io.h"
#include "runtime/base/sys.h"
#include "runtime/engine/names.h"
#include "runtime/engine/scheduler.h"
#include "runtime/outside/delivery.h"

using namespace heddle;
using namespace heddle::rt;

namespace {

enum class Job : uint8_t { kRead, kWrite, kSync };

struct Batch {  // of lio_listio
  int left;
  sigevent event;
  bool notifies;
  bool used;
};
struct AioRequest {
  aiocb* block;
  Job job;
  Batch* batch;
  bool used;
};
constexpr uint32_t kMaxRequests = 1024;
constexpr uint32_t kMaxBatches = 64;
constexpr int kLowestPriority = 20;  // AIO_PRIO_DELTA_MAX
HEDDLE_APART AioRequest g_requests[kMaxRequests];
HEDDLE_APART Batch g_batches[kMaxBatches];
pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t g_done = PTHREAD_COND_INITIALIZER;

template <typename Row>
Row* free_row(Row* rows, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    if (!rows[i].used) return &rows[i];
  }
  return nullptr;
}

void tell(const sigevent& event) {
  if (event.sigev_notify == SIGEV_SIGNAL && event.sigev_signo != 0) {
    siginfo_t info;
    memset(&info, 0, sizeof info);
    info.si_signo = event.sigev_signo;
    info.si_code = SI_ASYNCIO;
    info.si_value = event.sigev_value;
    send_to_process(event.sigev_signo, &info);
  } else if (event.sigev_notify == SIGEV_THREAD) {
    event.sigev_notify_function(event.sigev_value);
  }
}

// Pipes and sockets have no positions: there it is an ordinary call, which waits.
ssize_t perform(const AioRequest& r) {
  aiocb* b = r.block;
  auto* data = const_cast<void*>(b->aio_buf);
  if (r.job == Job::kSync) return with_errno(sys(SYS_fsync, b->aio_fildes));
  const bool has_position = sys(SYS_lseek, b->aio_fildes, 0, SEEK_CUR) >= 0;
  if (r.job == Job::kRead) {
    if (has_position) return with_errno(sys(SYS_pread64, b->aio_fildes, data, b->aio_nbytes, b->aio_offset));
    return read(b->aio_fildes, data, b->aio_nbytes);
  }
  if (has_position) return with_errno(sys(SYS_pwrite64, b->aio_fildes, data, b->aio_nbytes, b->aio_offset));
  return write(b->aio_fildes, data, b->aio_nbytes);
}

void* serve_request(void* argument) {
  auto* r = static_cast<AioRequest*>(argument);
  aiocb* block = r->block;
  const ssize_t result = perform(*r);
  const int error = result < 0 ? errno : 0;
  const sigevent event = block->aio_sigevent;
  pthread_mutex_lock(&g_lock);
  block->__return_value = result;
  __atomic_store_n(&block->__error_code, error, __ATOMIC_RELEASE);
  Batch* batch = r->batch;
  r->used = false;
  const bool last = batch != nullptr && --batch->left == 0;
  pthread_cond_broadcast(&g_done);
  pthread_mutex_unlock(&g_lock);
  tell(event);
  if (last && batch->notifies) {
    tell(batch->event);
    batch->used = false;
  }
  return nullptr;
}

int refuse(int error) {
  errno = error;
  return -1;
}

int submit(aiocb* block, Job job, Batch* batch, void* pc) {
  CalledFrom outer(pc);
  if (block->aio_reqprio < 0 || block->aio_reqprio > kLowestPriority) {
    block->__error_code = EINVAL;
    block->__return_value = -1;
    return refuse(EINVAL);
  }
  AioRequest* r = free_row(g_requests, kMaxRequests);
  if (r == nullptr) return refuse(EAGAIN);
  *r = {block, job, batch, true};
  block->__return_value = 0;
  __atomic_store_n(&block->__error_code, EINPROGRESS, __ATOMIC_RELEASE);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  const int error = pthread_create(&thread, &attributes, serve_request, r);
  pthread_attr_destroy(&attributes);
  if (error == 0) return 0;
  r->used = false;
  block->__error_code = EAGAIN;
  return refuse(EAGAIN);
}

bool in_progress(const aiocb* block) { return block != nullptr && __atomic_load_n(&block->__error_code, __ATOMIC_ACQUIRE) == EINPROGRESS; }

bool is_known(const aiocb* block) {
  for (const AioRequest& r : g_requests) {
    if (r.used && r.block == block) return true;
  }
  return false;
}

void give_back(void*) { pthread_mutex_unlock(&g_lock); }

template <typename Function>
Function library(Function* cache, const char* name) {
  if (*cache == nullptr) *cache = next_symbol<Function>(name);
  return *cache;
}

}  // namespace

#define HEDDLE_HERE __builtin_return_address(0)

HEDDLE_EXPORT int aio_read(aiocb* block) noexcept {
  static decltype(&::aio_read) real_call;
  if (!active()) return library(&real_call, "aio_read")(block);
  return submit(block, Job::kRead, nullptr, HEDDLE_HERE);
}
HEDDLE_EXPORT int aio_read64(aiocb64* block) noexcept __attribute__((alias("aio_read")));

HEDDLE_EXPORT int aio_write(aiocb* block) noexcept {
  static decltype(&::aio_write) real_call;
  if (!active()) return library(&real_call, "aio_write")(block);
  return submit(block, Job::kWrite, nullptr, HEDDLE_HERE);
}
HEDDLE_EXPORT int aio_write64(aiocb64* block) noexcept __attribute__((alias("aio_write")));

HEDDLE_EXPORT int aio_fsync(int operation, aiocb* block) noexcept {
  static decltype(&::aio_fsync) real_call;
  if (!active()) return library(&real_call, "aio_fsync")(operation, block);
  if (operation != O_DSYNC && operation != O_SYNC) return refuse(EINVAL);
  const long flags = sys(SYS_fcntl, block->aio_fildes, F_GETFL);
  if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) return refuse(EBADF);
  return submit(block, Job::kSync, nullptr, HEDDLE_HERE);
}
HEDDLE_EXPORT int aio_fsync64(int operation, aiocb64* block) noexcept __attribute__((alias("aio_fsync")));

// Whoever asks again and again gives way.
HEDDLE_EXPORT int aio_error(const aiocb* block) noexcept {
  if (active() && in_progress(block) && is_known(block)) {
    Pending p{};
    p.op = Op::kPoll;
    p.site = caller_site(HEDDLE_HERE);
    Event* e = point(p);
    mark_try(e, in_progress(block));
  }
  return __atomic_load_n(&block->__error_code, __ATOMIC_ACQUIRE);
}
HEDDLE_EXPORT int aio_error64(const aiocb64* block) noexcept __attribute__((alias("aio_error")));

HEDDLE_EXPORT ssize_t aio_return(aiocb* block) noexcept { return block->__return_value; }
HEDDLE_EXPORT ssize_t aio_return64(aiocb64* block) noexcept __attribute__((alias("aio_return")));

HEDDLE_EXPORT int aio_suspend(const aiocb* const list[], int count, const timespec* timeout) {
  static decltype(&::aio_suspend) real_call;
  if (!active()) return library(&real_call, "aio_suspend")(list, count, timeout);
  CalledFrom outer(HEDDLE_HERE);
  timespec until{};
  if (timeout != nullptr) {
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += timeout->tv_sec;
    until.tv_nsec += timeout->tv_nsec;
    if (until.tv_nsec >= 1000000000) {
      until.tv_nsec -= 1000000000;
      ++until.tv_sec;
    }
  }
  const auto any_done = [&] {
    for (int i = 0; i < count; ++i) {
      if (list[i] != nullptr && !in_progress(list[i])) return true;
    }
    return false;
  };
  pthread_mutex_lock(&g_lock);
  int error = 0;
  bool done = false;
  // The wait is a cancellation point.
  pthread_cleanup_push(give_back, nullptr);
  while (error == 0 && !any_done()) {
    error = timeout != nullptr ? pthread_cond_clockwait(&g_done, &g_lock, CLOCK_MONOTONIC, &until) : pthread_cond_wait(&g_done, &g_lock);
  }
  done = any_done();
  pthread_cleanup_pop(1);
  return done ? 0 : refuse(EAGAIN);
}
HEDDLE_EXPORT int aio_suspend64(const aiocb64* const list[], int count, const timespec* timeout) __attribute__((alias("aio_suspend")));

// What has begun is not called back, as a device would not either.
HEDDLE_EXPORT int aio_cancel(int fd, aiocb* block) noexcept {
  static decltype(&::aio_cancel) real_call;
  if (!active()) return library(&real_call, "aio_cancel")(fd, block);
  if (sys(SYS_fcntl, fd, F_GETFD) < 0) return refuse(EBADF);
  if (block != nullptr && block->aio_fildes != fd) return refuse(EINVAL);
  bool open = block != nullptr && in_progress(block);
  for (const AioRequest& r : g_requests) open = open || (block == nullptr && r.used && r.block->aio_fildes == fd);
  return open ? AIO_NOTCANCELED : AIO_ALLDONE;
}
HEDDLE_EXPORT int aio_cancel64(int fd, aiocb64* block) noexcept __attribute__((alias("aio_cancel")));

HEDDLE_EXPORT int lio_listio(int mode, aiocb* const list[], int count, sigevent* event) noexcept {
  static decltype(&::lio_listio) real_call;
  if (!active()) return library(&real_call, "lio_listio")(mode, list, count, event);
  void* pc = HEDDLE_HERE;
  if (mode != LIO_WAIT && mode != LIO_NOWAIT) return refuse(EINVAL);
  Batch* batch = free_row(g_batches, kMaxBatches);
  if (batch == nullptr) return refuse(EAGAIN);
  *batch = {1, {}, mode == LIO_NOWAIT && event != nullptr, true};
  if (event != nullptr) batch->event = *event;
  bool failed = false;
  for (int i = 0; i < count; ++i) {
    if (list[i] == nullptr || list[i]->aio_lio_opcode == LIO_NOP) continue;
    ++batch->left;
    if (submit(list[i], list[i]->aio_lio_opcode == LIO_READ ? Job::kRead : Job::kWrite, batch, pc) != 0) {
      --batch->left;
      failed = true;
    }
  }
  CalledFrom outer(pc);
  pthread_mutex_lock(&g_lock);
  --batch->left;
  bool last = false;
  pthread_cleanup_push(give_back, nullptr);
  while (mode == LIO_WAIT && batch->left > 0) pthread_cond_wait(&g_done, &g_lock);
  last = batch->left == 0;
  pthread_cleanup_pop(1);
  if (last && batch->notifies) tell(batch->event);
  if (last || !batch->notifies) batch->used = batch->left > 0;
  for (int i = 0; i < count && mode == LIO_WAIT; ++i) failed = failed || (list[i] != nullptr && list[i]->__error_code != 0);
  return failed ? refuse(EIO) : 0;
}
HEDDLE_EXPORT int lio_listio64(int mode, aiocb64* const list[], int count, sigevent* event) noexcept __attribute__((alias("lio_listio")));
