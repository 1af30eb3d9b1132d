#include "runtime/outside/input_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/base/sys.h"
#include "runtime/engine/stream.h"
#include "runtime/outside/delivery.h"
#include "runtime/outside/readiness.h"

namespace heddle::rt {

namespace {

constexpr uint32_t kMaxPath = 4096;

const char* g_replayed;  // the block of wire/input.h
uint64_t g_replayed_count;
bool g_replays_calls;
constexpr int kMaxInherited = 64;
constexpr Op kSignalOp = Op::kSignalDeliver;
bool g_says_so;                   // the log of this run says that waits for epoll sets are recorded
uint32_t g_signals;               // logged so far
OutsideSignal* g_last_signal;     // in the log
bool g_inherited[kMaxInherited];  // by descriptor: it was there at the start and has not been used

struct stat g_streams[3];  // when the program was started
InputRecord* g_growing;    // the last record of the log, where it is one that grows

// A name for the program that this process runs.
uint64_t own_image() {
  static uint64_t image;
  char path[kMaxPath];
  const long n = image == 0 ? sys(SYS_readlink, "/proc/self/exe", path, sizeof path) : 0;
  for (long i = 0; i < n; ++i) image = mix(image + 1, static_cast<unsigned char>(path[i]));
  return image;
}

const InputRecord* record_at(uint64_t index) {
  const auto* offsets = reinterpret_cast<const uint64_t*>(g_replayed + sizeof(ReplayedInputs));
  return reinterpret_cast<const InputRecord*>(g_replayed + offsets[index]);
}

bool is_before(const InputRecord& r, ThreadId thread, uint32_t ordinal) {
  return r.thread != thread ? r.thread < thread : r.ordinal < ordinal;
}

const InputRecord* find(ThreadId thread, uint32_t ordinal, Op op) {
  uint64_t low = 0;
  uint64_t high = g_replayed_count;
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (is_before(*record_at(middle), thread, ordinal)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == g_replayed_count) return nullptr;
  const InputRecord* r = record_at(low);
  return r->thread == thread && r->ordinal == ordinal && r->op == op ? r : nullptr;
}

// Where the next record goes, or nullptr: the arena is full.
InputRecord* new_call(uint64_t size) {
  TraceHeader* h = g_run.header;
  g_growing = nullptr;
  const uint64_t bytes = input_record_bytes(size);
  const bool streamed = is_streaming();
  if (streamed) inputs_are_whole();  // but for this one
  char* at = streamed                               ? input_room(bytes)
             : h->input_bytes + bytes > kInputBytes ? nullptr
                                                    : g_run.slot + g_run.layout.inputs + h->input_bytes;
  if (at == nullptr) {
    if (h->inputs_lost == 0) note(kNoSite, "more input came from outside than the log holds: this run cannot be replayed");
    ++h->inputs_lost;
    return nullptr;
  }
  if (!streamed) h->input_bytes += bytes;
  auto* r = reinterpret_cast<InputRecord*>(at);
  memset(r, 0, sizeof *r);
  r->kind = InputKind::kCall;
  r->size = static_cast<uint32_t>(size);
  return r;
}

// How much of piece `i` the call wrote; `left` counts down what its result allows.
size_t written_of(const Filled& filled, size_t i, size_t* left) {
  const iovec& piece = filled.pieces[i];
  if (piece.iov_base == nullptr) return 0;
  if (i < filled.whole) return piece.iov_len;
  const size_t n = piece.iov_len < *left ? piece.iov_len : *left;
  *left -= n;
  return n;
}

bool is_known_file(uint64_t hash) {
  const char* arena = g_run.channel + g_run.layout.files;
  for (uint64_t at = 0; at < g_run.control->file_bytes;) {
    const auto* r = reinterpret_cast<const InputRecord*>(arena + at);
    if (r->thread == hash) return true;
    at += input_record_bytes(r->size);
  }
  return false;
}

bool is_file_of_system(const char* path) {
  return strncmp(path, "/proc/", 6) == 0 || strncmp(path, "/sys/", 5) == 0 || strncmp(path, "/dev/", 5) == 0 ||
         strncmp(path, "/memfd:", 7) == 0;
}

}  // namespace

void install_inputs() {
  g_replayed = g_run.channel + g_run.layout.replayed;
  g_replayed_count = reinterpret_cast<const ReplayedInputs*>(g_replayed)->count;
  const Branches* process = recorded_branches();
  if (process != nullptr && process->image != own_image()) g_replayed_count = 0;
  // The clock and the branch are no answers to calls. Their records lie together.
  const auto is_call = [](uint64_t index) { return came_from_outside(record_at(index)->thread); };
  g_replays_calls = g_replayed_count != 0 && (is_call(0) || is_call(g_replayed_count - 1));
  if (recorded_signal() != nullptr) g_attention = 1;
}

const struct stat* recorded_stream(int fd) {
  const Branches* process = fd >= 0 && fd < 3 ? recorded_branches() : nullptr;
  struct stat now;
  if (process == nullptr || process->streams[fd].st_nlink == 0 || sys(SYS_fstat, fd, &now) != 0) return nullptr;
  return now.st_ino == g_streams[fd].st_ino && now.st_dev == g_streams[fd].st_dev ? &process->streams[fd] : nullptr;
}

bool replays_exactly() { return g_replayed_count != 0 && reinterpret_cast<const ReplayedInputs*>(g_replayed)->exact != 0; }

const Branches* recorded_branches() {
  const InputRecord* r = g_replayed_count != 0 ? find(kBranchInputs, 0, Op::kFork) : nullptr;
  return r != nullptr && r->size == sizeof(Branches) ? reinterpret_cast<const Branches*>(r + 1) : nullptr;
}

void log_branches(Branches branches) {
  if (const Branches* recorded = recorded_branches()) {
    memcpy(branches.streams, recorded->streams, sizeof branches.streams);
  } else {
    memcpy(branches.streams, g_streams, sizeof branches.streams);
  }
  branches.image = own_image();
  InputRecord* r = new_call(sizeof branches);
  if (r == nullptr) return;
  r->thread = kBranchInputs;
  r->op = Op::kFork;
  memcpy(r + 1, &branches, sizeof branches);
}

const InputRecord* recorded_clock(uint32_t ordinal) { return g_replayed_count != 0 ? find(kClockInputs, ordinal, Op::kNone) : nullptr; }

InputRecord* new_clock_record(uint32_t ordinal, uint32_t most) {
  InputRecord* r = new_call(most);
  if (r == nullptr) return nullptr;
  r->thread = kClockInputs;
  r->ordinal = ordinal;
  r->op = Op::kNone;
  r->size = 0;
  g_run.header->input_bytes -= input_record_bytes(most) - input_record_bytes(0);
  g_growing = r;
  return r;
}

bool is_last(const InputRecord* record) { return record == g_growing; }

void add_to_last(const void* bytes, uint32_t size) {
  InputRecord* r = g_growing;
  const uint64_t before = input_record_bytes(r->size);
  memcpy(reinterpret_cast<char*>(r + 1) + r->size, bytes, size);
  r->size += size;
  g_run.header->input_bytes += input_record_bytes(r->size) - before;
}

const OutsideSignal* recorded_signal() {
  if (g_replayed_count == 0) return nullptr;
  const InputRecord* r = find(kSignalInputs, g_signals, kSignalOp);
  return r != nullptr && r->size == sizeof(OutsideSignal) ? reinterpret_cast<const OutsideSignal*>(r + 1) : nullptr;
}

bool signal_is_due(const OutsideSignal& s, ThreadId thread, SiteId site) {
  // In another schedule there is no such place: any moment from then on will do, and every one where it is waited for.
  if (!replays_exactly()) return thread == kNobodyRan || g_run.step >= s.step;
  if (g_run.step != s.step) return g_run.step > s.step;
  if (s.thread == kBetweenPoints) return thread != kFoundPending;
  return thread == s.thread && site == s.site;
}

void log_signal(const OutsideSignal& s) {
  const uint32_t ordinal = g_signals++;
  InputRecord* r = new_call(sizeof s);
  if (r == nullptr) return;
  r->thread = kSignalInputs;
  r->ordinal = ordinal;
  r->op = kSignalOp;
  r->result = s.info.si_signo;
  r->stamp = s.step;
  g_last_signal = reinterpret_cast<OutsideSignal*>(r + 1);
  memcpy(g_last_signal, &s, sizeof s);
}

void signal_took_time() {
  if (g_last_signal != nullptr && g_last_signal->step == g_run.step && g_last_signal->thread == kNobodyRan)
    g_last_signal->clock = g_run.clock;
}

void survey_streams() {
  for (int fd = 0; fd < 3; ++fd) {
    if (sys(SYS_fstat, fd, &g_streams[fd]) != 0) memset(&g_streams[fd], 0, sizeof g_streams[fd]);
  }
}

void examine_inherited() {
  for (int fd = 3; fd < kMaxInherited; ++fd) g_inherited[fd] = describe(fd).reach == Reach::kForeign;
  for (uint64_t i = 0; i < g_replayed_count && record_at(i)->thread == kNoThread; ++i) {
    const auto fd = static_cast<int>(record_at(i)->ordinal);
    struct stat status;
    int ends[2];
    if (fd >= kMaxInherited || sys(SYS_fstat, fd, &status) == 0 || sys(SYS_pipe2, ends, 0) != 0) continue;
    // What is read comes from the recording; the pipe only has to be there. Its ends may have got the wanted number themselves.
    const long spare = sys(SYS_fcntl, ends[0], F_DUPFD, kMaxInherited);
    sys(SYS_close, ends[0]);
    sys(SYS_close, ends[1]);
    sys(SYS_dup2, spare, fd);
    sys(SYS_close, spare);
    g_inherited[fd] = true;
  }
}

void used_inherited(int fd) {
  if (fd < 0 || fd >= kMaxInherited || !g_inherited[fd]) return;
  g_inherited[fd] = false;
  InputRecord* r = new_call(0);
  if (r != nullptr) r->ordinal = static_cast<uint32_t>(fd);
}

bool records_sets() {
  if (g_says_so) return true;
  if (replays_inputs() ? find(kSetInputs, 0, Op::kPoll) == nullptr : g_run.control->mode != Mode::kOnce) return false;
  InputRecord* r = new_call(0);
  g_says_so = true;
  if (r == nullptr) return true;
  r->thread = kSetInputs;
  r->op = Op::kPoll;
  return true;
}

bool replays_inputs() { return g_replays_calls; }

bool wait_over(const ThreadSlot& thread, const DescriptorWait& wait) {
  if (!wait.outside) return descriptors_ready(wait);
  auto& t = const_cast<ThreadSlot&>(thread);
  if (replays_inputs()) {
    const InputRecord* r = find(t.id, t.inputs, t.pending.op);
    // Beyond the recording nothing comes any more. A call that timed out was not ready.
    if (r == nullptr || (t.pending.op == Op::kTimedPoll && (r->result == 0 || r->result == -EAGAIN))) return false;
    return !replays_exactly() || g_run.step >= r->stamp;
  }
  const bool ready = outside_ready(thread, wait);
  if (!ready) {
    t.ready_since = 0;
  } else if (t.ready_since == 0) {
    t.ready_since = g_run.step + 1;
  }
  return ready;
}

bool has_recorded(Op op) { return find(g_current->id, g_current->inputs, op) != nullptr; }

bool take_input(Op op, const Filled& filled, long* result) {
  const InputRecord* r = find(g_current->id, g_current->inputs, op);
  if (r == nullptr) return false;
  *result = r->result;
  const char* from = reinterpret_cast<const char*>(r + 1);
  uint64_t rest = r->size;
  size_t left = r->result > 0 ? static_cast<size_t>(r->result) * filled.unit : 0;
  for (size_t i = 0; i < filled.count && rest > 0; ++i) {
    size_t n = written_of(filled, i, &left);
    if (n > rest) n = rest;
    if (n == 0) continue;
    memcpy(filled.pieces[i].iov_base, from, n);
    from += n;
    rest -= n;
  }
  g_current->ready_since = r->stamp + 1;
  return true;
}

void log_input(Op op, const Filled& filled, long result) {
  ThreadSlot* me = g_current;
  size_t size = 0;
  size_t left = result > 0 ? static_cast<size_t>(result) * filled.unit : 0;
  for (size_t i = 0; i < filled.count && result >= 0; ++i) size += written_of(filled, i, &left);
  const uint32_t ordinal = me->inputs++;
  const uint64_t since = me->ready_since;
  me->ready_since = 0;
  InputRecord* r = new_call(size);
  if (r == nullptr) return;
  r->thread = me->id;
  r->ordinal = ordinal;
  r->op = op;
  r->result = result;
  r->stamp = since != 0 ? since - 1 : 0;
  char* to = reinterpret_cast<char*>(r + 1);
  left = result > 0 ? static_cast<size_t>(result) * filled.unit : 0;
  for (size_t i = 0; i < filled.count && result >= 0; ++i) {
    const size_t n = written_of(filled, i, &left);
    if (n != 0) memcpy(to, filled.pieces[i].iov_base, n);
    to += n;
  }
  if (is_streaming()) inputs_are_whole();
}

void log_file(int fd) {
  if (!g_run.attached) return;
  struct stat status;
  if (sys(SYS_fstat, fd, &status) != 0 || !S_ISREG(status.st_mode)) return;
  char link[48];
  char path[kMaxPath];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const long n = sys(SYS_readlink, link, path, sizeof path - 1);
  if (n <= 0 || status.st_nlink == 0) return;
  path[n] = 0;
  if (is_file_of_system(path)) return;
  const auto size = static_cast<uint64_t>(n);
  uint64_t hash = size;
  for (long i = 0; i < n; ++i) hash = mix(hash, static_cast<unsigned char>(path[i]));
  if (is_known_file(hash)) return;
  Control* c = g_run.control;
  if (c->file_bytes + input_record_bytes(size) > kFileBytes) {
    note(kNoSite, "more files were read than the log holds: a replay reads the others as they are then");
    return;
  }
  auto* r = reinterpret_cast<InputRecord*>(g_run.channel + g_run.layout.files + c->file_bytes);
  memset(r, 0, sizeof *r);
  r->kind = InputKind::kFile;
  r->size = static_cast<uint32_t>(size);
  r->thread = hash;
  r->result = status.st_size;
  r->stamp = static_cast<uint64_t>(status.st_mtim.tv_sec) * 1000000000 + static_cast<uint64_t>(status.st_mtim.tv_nsec);
  memcpy(r + 1, path, size);
  c->file_bytes += input_record_bytes(size);
}

}  // namespace heddle::rt
