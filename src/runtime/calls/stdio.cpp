// Streams. A thread may be switched away while it holds a stream's lock; the others must then wait at a point, not inside glibc. And a
// read that would have to fill an empty buffer from a pipe or terminal waits at a point for its bytes.
// glibc's headers define some of these inline when they are compiled with optimisation; here the definitions are ours.
#ifndef __NO_INLINE__
#define __NO_INLINE__ 1
#endif

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/real.h"
#include "runtime/base/real_io.h"
#include "runtime/calls/random_streams.h"
#include "runtime/calls/stdio.h"
#include "runtime/engine/scheduler.h"
#include "runtime/engine/stdio_lock.h"
#include "runtime/memory/library_access.h"
#include "runtime/outside/delivery.h"
#include "runtime/outside/descriptor_call.h"
#include "runtime/outside/trap.h"

namespace heddle::rt {

namespace {

#define HEDDLE_STDIO(X) \
  X(flockfile)          \
  X(ftrylockfile)       \
  X(funlockfile)        \
  X(vfprintf)           \
  X(vdprintf)           \
  X(puts)               \
  X(fputs) X(putchar) X(putc) X(fputc) X(fwrite) X(fflush) X(fclose) X(getc) X(fgetc) X(getchar) X(fgets) X(fread) X(getdelim) X(ungetc)

struct Stdio {
#define HEDDLE_FIELD(name) decltype(&::name) name;
  HEDDLE_STDIO(HEDDLE_FIELD)
#undef HEDDLE_FIELD
};

const Stdio& stdio() {
  static Stdio table;
  static bool known;
  if (__builtin_expect(!known, 0)) {
#define HEDDLE_RESOLVE(name) table.name = next_symbol<decltype(&::name)>(#name);
    HEDDLE_STDIO(HEDDLE_RESOLVE)
#undef HEDDLE_RESOLVE
    known = true;
  }
  return table;
}

Event* point_at_stream(FILE* stream, Op op, void* pc) {
  Pending p{};
  p.op = op;
  p.address = stream;
  p.object = object_of(stream);
  p.site = caller_site(pc);
  return point(p);
}

void before(FILE* stream, void* pc) {
  if (!active() || stream_free_for(stream, *g_current)) return;
  point_at_stream(stream, Op::kStdioLock, pc);
}

// What glibc writes of a stream is a cancellation point, and what only fills the stream's buffer is none.
constexpr int kUnbuffered = 2;  // glibc's _IO_UNBUFFERED
bool is_cancelled() { return active() && (g_current->signals.pending & signal_bit(kCancelSignal)) != 0; }
long waiting_bytes(const FILE* stream) { return stream->_IO_write_ptr - stream->_IO_write_base; }

// A thread that does nothing but write to streams is no longer alone with the processor than one that makes other calls.
void give_way_in_time(void* pc) {
  constexpr uint32_t kLongest = 1024;  // calls between two events
  static uint64_t step;
  static uint32_t calls;
  if (step != g_run.step) {
    step = g_run.step;
    calls = 0;
  }
  if (++calls == kLongest) point(Op::kYield, nullptr, pc);
}

// What the C library writes meanwhile is written from here.
class WritesFrom {
 public:
  explicit WritesFrom(void* pc) : thread_(active() ? g_current : nullptr) {
    if (thread_ == nullptr) return;
    before_ = thread_->stream_caller;
    thread_->stream_caller = pc;
  }
  ~WritesFrom() {
    if (thread_ != nullptr) thread_->stream_caller = before_;
  }
  WritesFrom(const WritesFrom&) = delete;
  WritesFrom& operator=(const WritesFrom&) = delete;

 private:
  ThreadSlot* thread_;
  void* before_ = nullptr;
};

template <typename Call>
auto put(FILE* stream, void* pc, Call call) {
  before(stream, pc);
  if (active() && g_live_count > 1) give_way_in_time(pc);
  const WritesFrom here(pc);
  if (__builtin_expect(!is_cancelled(), 1)) return call();
  if ((stream->_flags & kUnbuffered) != 0) test_cancel(pc);
  const long waiting = waiting_bytes(stream);
  const auto result = call();
  if (waiting_bytes(stream) <= waiting) test_cancel(pc);
  return result;
}

void before_flush(FILE* stream, void* pc) {
  before(stream, pc);
  if (is_cancelled() && waiting_bytes(stream) > 0) test_cancel(pc);
}

void before_read(FILE* stream, void* pc) {
  if (!active()) return;
  before(stream, pc);
  seed_stream_again(stream);
  // Caught, the reads inside of the stream stand at points themselves, each one.
  if (catches_inner_calls() || stream->_IO_read_ptr < stream->_IO_read_end || stream->_fileno < 0) return;
  const DescriptorCall call{stream->_fileno, Op::kRead, POLLIN, false, 0, pc};
  const DescriptorInfo info = describe(stream->_fileno);
  if (is_controlled(call, info) && ((info.reach == Reach::kPlain && !replays_inputs()) || !catch_inner_calls()))
    controlled(call, info, [] { return 0L; });
}

}  // namespace

void before_stream_read(FILE* stream, void* pc) { before_read(stream, pc); }

}  // namespace heddle::rt

using namespace heddle;
using namespace heddle::rt;

#define HEDDLE_HERE __builtin_return_address(0)

HEDDLE_EXPORT void flockfile(FILE* stream) noexcept {
  if (active()) {
    const Event* e = point_at_stream(stream, Op::kStdioLock, HEDDLE_HERE);
    note_held(g_current, stream, e->site);
  }
  stdio().flockfile(stream);
}

HEDDLE_EXPORT int ftrylockfile(FILE* stream) noexcept {
  if (!active()) return stdio().ftrylockfile(stream);
  Event* e = point_at_stream(stream, Op::kMutexTryLock, HEDDLE_HERE);
  const int result = stdio().ftrylockfile(stream);
  mark_try(e, result != 0);
  if (result == 0) note_held(g_current, stream, e->site);
  return result;
}

HEDDLE_EXPORT void funlockfile(FILE* stream) noexcept {
  if (active()) {
    point_at_stream(stream, Op::kStdioUnlock, HEDDLE_HERE);
    note_released(g_current, stream);
  }
  stdio().funlockfile(stream);
}

HEDDLE_EXPORT int vfprintf(FILE* stream, const char* format, va_list arguments) {
  return put(stream, HEDDLE_HERE, [&] { return stdio().vfprintf(stream, format, arguments); });
}

HEDDLE_EXPORT int vprintf(const char* format, va_list arguments) {
  return put(stdout, HEDDLE_HERE, [&] { return stdio().vfprintf(stdout, format, arguments); });
}

HEDDLE_EXPORT int fprintf(FILE* stream, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int result = put(stream, HEDDLE_HERE, [&] { return stdio().vfprintf(stream, format, arguments); });
  va_end(arguments);
  return result;
}

HEDDLE_EXPORT int printf(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int result = put(stdout, HEDDLE_HERE, [&] { return stdio().vfprintf(stdout, format, arguments); });
  va_end(arguments);
  return result;
}

// The checked forms differ from the plain ones only for formats with %n in writable memory.
HEDDLE_EXPORT int __vfprintf_chk(FILE* stream, int, const char* format, va_list arguments) {
  return put(stream, HEDDLE_HERE, [&] { return stdio().vfprintf(stream, format, arguments); });
}

HEDDLE_EXPORT int __vprintf_chk(int, const char* format, va_list arguments) {
  return put(stdout, HEDDLE_HERE, [&] { return stdio().vfprintf(stdout, format, arguments); });
}

HEDDLE_EXPORT int __fprintf_chk(FILE* stream, int, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int result = put(stream, HEDDLE_HERE, [&] { return stdio().vfprintf(stream, format, arguments); });
  va_end(arguments);
  return result;
}

HEDDLE_EXPORT int __printf_chk(int, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int result = put(stdout, HEDDLE_HERE, [&] { return stdio().vfprintf(stdout, format, arguments); });
  va_end(arguments);
  return result;
}

// A stream of a moment, inside of the C library.
HEDDLE_EXPORT int vdprintf(int fd, const char* format, va_list arguments) {
  catch_stream(fd);
  const WritesFrom here(HEDDLE_HERE);
  return stdio().vdprintf(fd, format, arguments);
}

HEDDLE_EXPORT int dprintf(int fd, const char* format, ...) {
  catch_stream(fd);
  const WritesFrom here(HEDDLE_HERE);
  va_list arguments;
  va_start(arguments, format);
  const int result = stdio().vdprintf(fd, format, arguments);
  va_end(arguments);
  return result;
}

HEDDLE_EXPORT int __vdprintf_chk(int fd, int, const char* format, va_list arguments) {
  catch_stream(fd);
  const WritesFrom here(HEDDLE_HERE);
  return stdio().vdprintf(fd, format, arguments);
}

HEDDLE_EXPORT int __dprintf_chk(int fd, int, const char* format, ...) {
  catch_stream(fd);
  const WritesFrom here(HEDDLE_HERE);
  va_list arguments;
  va_start(arguments, format);
  const int result = stdio().vdprintf(fd, format, arguments);
  va_end(arguments);
  return result;
}

HEDDLE_EXPORT int puts(const char* text) {
  library_reads_text(text, HEDDLE_HERE);
  return put(stdout, HEDDLE_HERE, [&] { return stdio().puts(text); });
}

HEDDLE_EXPORT int fputs(const char* text, FILE* stream) {
  library_reads_text(text, HEDDLE_HERE);
  return put(stream, HEDDLE_HERE, [&] { return stdio().fputs(text, stream); });
}

HEDDLE_EXPORT int putchar(int c) {
  return put(stdout, HEDDLE_HERE, [&] { return stdio().putchar(c); });
}

HEDDLE_EXPORT int fputc(int c, FILE* stream) {
  return put(stream, HEDDLE_HERE, [&] { return stdio().fputc(c, stream); });
}
HEDDLE_EXPORT int putc(int c, FILE* stream) __attribute__((alias("fputc")));
HEDDLE_EXPORT int _IO_putc(int c, FILE* stream) {
  return put(stream, HEDDLE_HERE, [&] { return stdio().fputc(c, stream); });
}

HEDDLE_EXPORT size_t fwrite(const void* data, size_t size, size_t count, FILE* stream) {
  library_reads(data, size * count, HEDDLE_HERE);
  return put(stream, HEDDLE_HERE, [&] { return stdio().fwrite(data, size, count, stream); });
}

HEDDLE_EXPORT int fflush(FILE* stream) {
  if (stream != nullptr) before_flush(stream, HEDDLE_HERE);
  const WritesFrom here(HEDDLE_HERE);
  return stdio().fflush(stream);
}

HEDDLE_EXPORT int fclose(FILE* stream) {
  before_flush(stream, HEDDLE_HERE);
  if (active() && stream->_fileno >= 0) {
    descriptor_closed(stream->_fileno, HEDDLE_HERE);
    // The end of a pipe tells its reader something.
    const DescriptorInfo info = describe(stream->_fileno);
    if (info.reach == Reach::kInside || info.reach == Reach::kShared) {
      Pending p{};
      p.op = Op::kClose;
      p.object = descriptor_object(info);
      p.site = caller_site(HEDDLE_HERE);
      point(p);
    }
    forget_object(stream);
  }
  const int fd = stream->_fileno;
  forget_descriptor(fd);
  const WritesFrom here(HEDDLE_HERE);
  const int result = stdio().fclose(stream);
  forget_descriptor(fd);  // it was written to before it was closed
  return result;
}

HEDDLE_EXPORT int fgetc(FILE* stream) {
  before_read(stream, HEDDLE_HERE);
  return stdio().fgetc(stream);
}
HEDDLE_EXPORT int getc(FILE* stream) __attribute__((alias("fgetc")));
HEDDLE_EXPORT int _IO_getc(FILE* stream) __attribute__((alias("fgetc")));

HEDDLE_EXPORT int getchar() {
  before_read(stdin, HEDDLE_HERE);
  return stdio().getchar();
}

HEDDLE_EXPORT int ungetc(int c, FILE* stream) {
  before(stream, HEDDLE_HERE);
  return stdio().ungetc(c, stream);
}

HEDDLE_EXPORT char* fgets(char* text, int size, FILE* stream) {
  before_read(stream, HEDDLE_HERE);
  char* line = stdio().fgets(text, size, stream);
  if (line != nullptr) library_writes(line, strlen(line) + 1, HEDDLE_HERE);
  return line;
}

HEDDLE_EXPORT char* __fgets_chk(char* text, size_t room, int size, FILE* stream) {
  if (static_cast<size_t>(size) > room) abort();
  before_read(stream, HEDDLE_HERE);
  char* line = stdio().fgets(text, size, stream);
  if (line != nullptr) library_writes(line, strlen(line) + 1, HEDDLE_HERE);
  return line;
}

HEDDLE_EXPORT size_t fread(void* data, size_t size, size_t count, FILE* stream) {
  before_read(stream, HEDDLE_HERE);
  const size_t read = stdio().fread(data, size, count, stream);
  library_writes(data, size * read, HEDDLE_HERE);
  return read;
}

HEDDLE_EXPORT size_t __fread_chk(void* data, size_t room, size_t size, size_t count, FILE* stream) {
  if (size != 0 && room / size < count) abort();
  before_read(stream, HEDDLE_HERE);
  const size_t read = stdio().fread(data, size, count, stream);
  library_writes(data, size * read, HEDDLE_HERE);
  return read;
}

HEDDLE_EXPORT ssize_t getdelim(char** line, size_t* size, int delimiter, FILE* stream) {
  before_read(stream, HEDDLE_HERE);
  return stdio().getdelim(line, size, delimiter, stream);
}
HEDDLE_EXPORT ssize_t __getdelim(char** line, size_t* size, int delimiter, FILE* stream) __attribute__((alias("getdelim")));

HEDDLE_EXPORT ssize_t getline(char** line, size_t* size, FILE* stream) {
  before_read(stream, HEDDLE_HERE);
  return stdio().getdelim(line, size, '\n', stream);
}
