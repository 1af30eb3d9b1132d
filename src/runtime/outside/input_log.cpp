// long: one log and the cursor into it; the records of the clock, of names and of listings are in files of their own.
#include "runtime/outside/input_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/base/placement.h"
#include "runtime/base/sys.h"
#include "runtime/engine/stream.h"
#include "runtime/outside/delivery.h"
#include "runtime/outside/descriptor_facts.h"
#include "runtime/outside/peers.h"
#include "runtime/outside/readiness.h"
#include "runtime/outside/recorded_names.h"
#include "wire/inherited.h"

namespace heddle::rt {

namespace {

constexpr uint32_t kMaxPath = 4096;
// What a call gives at once may be more than the ring of a recording holds: it becomes several records, one after the other.
constexpr size_t kMostInRecord = 4 << 20;

const char* g_replayed;  // the block of wire/input.h
uint64_t g_replayed_count;
bool g_replays_calls;
constexpr int kMaxInherited = 64;
constexpr Op kSignalOp = Op::kSignalDeliver;
bool g_says_so;                   // the log of this run says that waits for epoll sets are recorded
uint32_t g_signals;               // logged so far
uint32_t g_signals_passed;        // of the recording, where another schedule is run
bool g_has_childs_signals;        // the recording has those of the program's own children, too
OutsideSignal* g_last_signal;     // in the log
bool g_inherited[kMaxInherited];  // by descriptor: it was there at the start and has not been used

// Records beside that of the branches: simplify/requests.cpp has the first.
constexpr uint32_t kPatienceOrdinal = 2;   // how many events a run of a part waits for a word from somebody
constexpr uint32_t kInheritedOrdinal = 1;  // what the recorded program inherited

uint32_t g_logged;  // inputs so far
uint64_t g_heard;   // the step at which a peer was heard of last
InputPeer g_taken;  // of the answer that was taken last, until it is logged

// The wait that the thread is at was over when the thread came to it: the switch to another may say so.
HEDDLE_APART bool g_seen_ready[kMaxThreads];

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

const InputRecord* find(ThreadId thread, uint32_t ordinal) {
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
  return r->thread == thread && r->ordinal == ordinal ? r : nullptr;
}

const InputRecord* find(ThreadId thread, uint32_t ordinal, Op op) {
  const InputRecord* r = find(thread, ordinal);
  return r != nullptr && r->op == op ? r : nullptr;
}

InputMode input_mode() { return reinterpret_cast<const ReplayedInputs*>(g_replayed)->mode; }

// Only of runs that are recordings or come from one: whose descriptors are asked about in any case.
bool names_peers() { return g_run.control->mode == Mode::kOnce; }

InputPeer peer_of_call(const Reaching& reaching, long result) {
  InputPeer peer = g_taken;
  const bool taken = peer.call != PeerCall::kNone;
  g_taken = {};
  if (!taken) peer.call = reaching.call != PeerCall::kNone ? reaching.call : PeerCall::kOwn;
  if (!taken && reaching.fd >= 0) peer.peer = peer_of(reaching.fd);
  const int made = reaching.call == PeerCall::kAccept && result >= 0 ? static_cast<int>(result) : -1;
  if (made >= 0 && !taken) {
    if (!plays_peers()) {
      forget_descriptor(made);
      name_peer(made, next_accepted());
    }
    peer.made = peer_of(made);
  }
  peer.number = g_current->operations;
  peer.order = g_logged++;
  return peer;
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

constexpr uint64_t kNeverLost = INT64_MAX;

// The wait of a thread was over from one step on, and is not any more.
void log_lost_wait(ThreadSlot& t, uint64_t from, uint64_t until) {
  const uint32_t ordinal = t.inputs++;
  InputRecord* r = new_call(0);
  if (r == nullptr) return;
  r->thread = t.id;
  r->ordinal = ordinal;
  r->op = t.pending.op;
  r->result = static_cast<int64_t>(until);
  r->stamp = from | kLostWait;
  if (is_streaming()) inputs_are_whole();
}

// The thread's next record, if that is of a wait that is not lost before the step. Those that are become part of this run's log. In another schedule all are.
const InputRecord* lost_wait(ThreadSlot& t, uint64_t step) {
  for (;;) {
    const InputRecord* r = find(t.id, t.inputs);
    if (r == nullptr || (r->stamp & kLostWait) == 0) return nullptr;
    const bool exact = input_mode() == InputMode::kExact;
    if (exact && step < static_cast<uint64_t>(r->result)) return r;
    log_lost_wait(t, exact ? step_of_stamp(r->stamp) : 0, exact ? static_cast<uint64_t>(r->result) : 0);
  }
}

// The bytes that a call wrote into its pieces, in order: its result says how many.
class CallBytes {
 public:
  CallBytes(const Filled& filled, long result) : filled_(filled), left_(result > 0 ? static_cast<size_t>(result) * filled.unit : 0) {
    enter();
  }

  size_t total() const {
    size_t size = 0;
    for (CallBytes rest(*this); rest.piece_ < filled_.count; rest.leave()) size += rest.size_;
    return size;
  }
  void put(const char* from, size_t size) {
    each(size, [&from](char* to, size_t n) {
      memcpy(to, from, n);
      from += n;
    });
  }
  void get(char* to, size_t size) {
    each(size, [&to](const char* from, size_t n) {
      memcpy(to, from, n);
      to += n;
    });
  }

 private:
  void enter() {
    size_ = at_ = 0;
    if (piece_ >= filled_.count || filled_.pieces[piece_].iov_base == nullptr) return;
    size_ = filled_.pieces[piece_].iov_len;
    if (piece_ < filled_.whole) return;
    if (size_ > left_) size_ = left_;
    left_ -= size_;
  }
  void leave() {
    ++piece_;
    enter();
  }
  template <typename Copy>
  void each(size_t size, Copy copy) {
    for (; size > 0 && piece_ < filled_.count; leave()) {
      const size_t n = size < size_ - at_ ? size : size_ - at_;
      if (n != 0) copy(static_cast<char*>(filled_.pieces[piece_].iov_base) + at_, n);
      at_ += n;
      size -= n;
      if (at_ < size_) return;
    }
  }

  const Filled& filled_;
  size_t left_;  // for the pieces behind this one
  size_t piece_ = 0;
  size_t size_ = 0;  // of this piece
  size_t at_ = 0;
};

bool is_known_file(uint64_t hash) {
  const char* arena = g_run.channel + g_run.layout.files;
  for (uint64_t at = 0; at < g_run.control->file_bytes;) {
    const auto* r = reinterpret_cast<const InputRecord*>(arena + at);
    if (r->thread == hash) return true;
    at += input_record_bytes(r->size);
  }
  return false;
}

// A server opens the same files again and again. One that has another name too, or has got another, is looked at again.
bool was_logged(const struct stat& status) {
  constexpr uint64_t kRemembered = 256;
  static uint64_t files[kRemembered];
  if (g_run.control->mode != Mode::kOnce || status.st_nlink != 1) return false;
  uint64_t hash = mix(mix(status.st_dev, status.st_ino), static_cast<uint64_t>(status.st_ctim.tv_sec));
  hash = mix(hash, static_cast<uint64_t>(status.st_ctim.tv_nsec));
  uint64_t& place = files[hash % kRemembered];
  const bool known = place == hash;
  place = hash;
  return known;
}

bool is_file_of_system(const char* path) {
  return strncmp(path, "/proc/", 6) == 0 || strncmp(path, "/sys/", 5) == 0 || strncmp(path, "/dev/", 5) == 0 ||
         strncmp(path, "/memfd:", 7) == 0;
}

}  // namespace

void install_inputs() {
  g_replayed = g_run.channel + g_run.layout.replayed;
  g_replayed_count = reinterpret_cast<const ReplayedInputs*>(g_replayed)->count;
  g_heard = 0;
  // Of the run before, in the same process. A process that a checkpoint made again knows what it knew.
  if (plays_peers()) forget_descriptors(0, ~0u);
  const Branches* process = recorded_branches();
  if (process != nullptr && process->image != own_image()) g_replayed_count = 0;
  // The clock and the branch are no answers to calls. Their records lie together.
  const auto is_call = [](uint64_t index) { return came_from_outside(record_at(index)->thread); };
  g_replays_calls = g_replayed_count != 0 && (is_call(0) || is_call(g_replayed_count - 1));
  g_has_childs_signals = false;
  for (uint32_t i = 0; g_replayed_count != 0 && !g_has_childs_signals; ++i) {
    const InputRecord* r = find(kSignalInputs, i, kSignalOp);
    if (r == nullptr || r->size != sizeof(OutsideSignal)) break;
    g_has_childs_signals = is_of_child(reinterpret_cast<const OutsideSignal*>(r + 1)->info);
  }
  if (recorded_signal() != nullptr) g_attention = 1;
}

const struct stat* recorded_stream(int fd) {
  const Branches* process = fd >= 0 && fd < 3 ? recorded_branches() : nullptr;
  struct stat now;
  if (process == nullptr || process->streams[fd].st_nlink == 0 || sys(SYS_fstat, fd, &now) != 0) return nullptr;
  return now.st_ino == g_streams[fd].st_ino && now.st_dev == g_streams[fd].st_dev ? &process->streams[fd] : nullptr;
}

bool replays_exactly() { return g_replayed_count != 0 && input_mode() == InputMode::kExact; }

bool peers_are_silent() {
  const InputRecord* patience = plays_peers() ? find(kBranchInputs, kPatienceOrdinal, Op::kPoll) : nullptr;
  return patience != nullptr && g_run.step - g_heard > static_cast<uint64_t>(patience->result);
}

bool plays_peers() { return g_replayed_count != 0 && input_mode() == InputMode::kByPeer; }

const InputRecord* recorded_answer(ThreadId name, uint32_t ordinal) { return find(name, ordinal); }

uint64_t contents_of(const InputRecord& record) { return record.size - ((record.stamp & kHasPeer) != 0 ? sizeof(InputPeer) : 0); }

bool peer_in(const InputRecord& record, InputPeer* peer) {
  if ((record.stamp & kHasPeer) == 0 || record.size < sizeof *peer) return false;
  memcpy(peer, reinterpret_cast<const char*>(&record + 1) + contents_of(record), sizeof *peer);
  return true;
}

long give_answer(const InputRecord& record, const Filled& filled, uint64_t from, uint64_t most) {
  CallBytes bytes(filled, record.result);
  uint64_t size = contents_of(record) - from;
  if (size > most) size = most;
  if (size > bytes.total()) size = bytes.total();
  bytes.put(reinterpret_cast<const char*>(&record + 1) + from, size);
  return most == ~uint64_t{0} ? record.result : static_cast<long>(size);
}

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
  const InputRecord* r = find(kSignalInputs, replays_exactly() ? g_signals : g_signals_passed, kSignalOp);
  return r != nullptr && r->size == sizeof(OutsideSignal) ? reinterpret_cast<const OutsideSignal*>(r + 1) : nullptr;
}

void pass_signal() { ++g_signals_passed; }

bool has_childs_signals() { return g_has_childs_signals; }

namespace {

// A thread may be at one site several times without an event (a change of its mask, in a loop): how many inputs it has had tells them apart. It lies above the
// signal's number in the result of the record; 0: an earlier version wrote it.
constexpr int kInputsShift = 32;

uint64_t inputs_had(const ThreadSlot* thread) { return static_cast<uint64_t>(thread->inputs) + 1; }

bool had_its_inputs(const OutsideSignal& s) {
  const auto wanted = static_cast<uint64_t>((reinterpret_cast<const InputRecord*>(&s) - 1)->result) >> kInputsShift;
  const ThreadSlot* me = g_current;
  // News of a wait that was lost is no answer, and is taken with the next one.
  for (uint64_t had = inputs_had(me); had < wanted; ++had) {
    const InputRecord* r = find(me->id, static_cast<uint32_t>(had - 1));
    if (r != nullptr && (r->stamp & kLostWait) == 0) return false;
  }
  return true;
}

}  // namespace

bool signal_is_due(const OutsideSignal& s, ThreadId thread, SiteId site) {
  // In another schedule there is no such place: any moment from then on will do, and every one where it is waited for.
  if (!replays_exactly()) return thread == kNobodyRan || g_run.step >= s.step;
  if (g_run.step != s.step) return g_run.step > s.step;
  if (s.thread == kBetweenPoints) return thread != kFoundPending;
  return thread == s.thread && site == s.site && (thread != g_current->id || had_its_inputs(s));
}

static_assert(offsetof(OutsideSignal, step) == 128);  // simplify/requests.cpp

void log_signal(const OutsideSignal& s) {
  const uint32_t ordinal = g_signals++;
  InputRecord* r = new_call(sizeof s);
  if (r == nullptr) return;
  r->thread = kSignalInputs;
  r->ordinal = ordinal;
  r->op = kSignalOp;
  r->result = s.info.si_signo;
  if (s.thread == g_current->id) r->result |= static_cast<int64_t>(inputs_had(g_current) << kInputsShift);
  r->stamp = s.step;
  g_last_signal = reinterpret_cast<OutsideSignal*>(r + 1);
  memcpy(g_last_signal, &s, sizeof s);
}

void signal_took_time() {
  if (g_last_signal != nullptr && g_last_signal->step == g_run.step && g_last_signal->thread == kNobodyRan)
    g_last_signal->clock = g_run.clock;
}

void examine_streams() {
  for (int fd = 0; fd < 3; ++fd) {
    if (sys(SYS_fstat, fd, &g_streams[fd]) != 0) memset(&g_streams[fd], 0, sizeof g_streams[fd]);
  }
}

namespace {

constexpr int kMostInherited = 64;
struct Inherited {
  uint32_t count;
  int32_t fds[kMostInherited];
};

bool is_inherited(int fd) {
  const long flags = sys(SYS_fcntl, fd, F_GETFD);
  return flags >= 0 && (flags & FD_CLOEXEC) == 0;  // ours do not outlive an exec
}

constexpr int kHighestInherited = kInheritedChannel;

void log_inherited(const Inherited& list) {
  InputRecord* r = new_call(sizeof list);
  if (r == nullptr) return;
  r->thread = kBranchInputs;
  r->ordinal = kInheritedOrdinal;
  r->op = Op::kFork;
  memcpy(r + 1, &list, sizeof list);
}

// Numbers are given to what a program opens by what is open already: the replay has open what the recording had.
void inherit_as_recorded() {
  const InputRecord* r = g_replayed_count != 0 ? find(kBranchInputs, kInheritedOrdinal, Op::kFork) : nullptr;
  Inherited list{};
  if (r != nullptr && r->size == sizeof list) {
    memcpy(&list, r + 1, sizeof list);
    const auto had = [&list](int fd) {
      for (uint32_t i = 0; i < list.count && i < kMostInherited; ++i) {
        if (list.fds[i] == fd) return true;
      }
      return false;
    };
    for (int fd = 3; fd < kHighestInherited; ++fd) {
      if (is_inherited(fd) && !had(fd)) sys(SYS_close, fd);
    }
    for (uint32_t i = 0; i < list.count && i < kMostInherited; ++i) {
      if (sys(SYS_fcntl, list.fds[i], F_GETFD) >= 0) continue;
      const long spare = sys(SYS_open, "/dev/null", O_RDWR, 0);
      sys(SYS_dup2, spare, list.fds[i]);
      if (spare != list.fds[i]) sys(SYS_close, spare);
    }
  } else if (replays_inputs() || g_run.control->mode != Mode::kOnce || !is_real_time()) {
    return;
  } else {
    for (int fd = 3; fd < kHighestInherited && list.count < kMostInherited; ++fd) {
      if (is_inherited(fd)) list.fds[list.count++] = fd;
    }
  }
  log_inherited(list);
}

// A terminal can be read through the streams that are written to; the files that stand in for them cannot.
void open_as_terminals() {
  for (int fd = 1; fd < 3; ++fd) {
    const struct stat* recorded = recorded_stream(fd);
    if (recorded == nullptr || !S_ISCHR(recorded->st_mode) || (sys(SYS_fcntl, fd, F_GETFL) & O_ACCMODE) != O_WRONLY) continue;
    char name[32];
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    const long again = sys(SYS_openat, AT_FDCWD, name, O_RDWR | O_APPEND | O_CLOEXEC);
    if (again < 0) continue;
    sys(SYS_dup3, again, fd, 0);
    sys(SYS_close, again);
  }
}

}  // namespace

void examine_inherited() {
  inherit_as_recorded();
  open_as_terminals();
  for (int fd = 3; fd < kMaxInherited; ++fd) g_inherited[fd] = describe(fd).reach == Reach::kForeign;
  for (uint64_t i = 0; i < g_replayed_count && record_at(i)->thread == kNoThread; ++i) {
    const auto fd = static_cast<int>(record_at(i)->ordinal);
    struct stat status;
    int ends[2];
    const bool is_there = sys(SYS_fstat, fd, &status) == 0 && !S_ISCHR(status.st_mode);
    if (fd >= kMaxInherited || is_there || sys(SYS_pipe2, ends, 0) != 0) continue;
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
  if (replays_inputs() && !plays_peers()) {
    if (const InputRecord* lost = lost_wait(t, g_run.step)) return g_run.step >= step_of_stamp(lost->stamp);
    const InputRecord* r = find(t.id, t.inputs, t.pending.op);
    // Beyond the recording nothing comes any more. A call that timed out was never ready. One that was, and got nothing because somebody else had taken
    // it, goes on waiting: it has a stamp.
    const bool nothing = r != nullptr && t.pending.op == Op::kTimedPoll && (wait.polls ? r->result == 0 : r->result == -EAGAIN);
    if (r == nullptr || (nothing && step_of_stamp(r->stamp) == 0)) return false;
    // The program connects to itself again: under another schedule at another time.
    if (!replays_exactly() && t.pending.op == Op::kAccept && find(t.id, t.inputs + 1, kOwnConnection) != nullptr)
      return descriptors_ready(wait);
    return !replays_exactly() || g_run.step >= step_of_stamp(r->stamp);
  }
  const bool ready = plays_peers() ? peers_ready(wait) : outside_ready(thread, wait);
  if (!ready) {
    if (t.ready_since != 0 && g_seen_ready[t.index]) log_lost_wait(t, t.ready_since - 1, g_run.step);
    t.ready_since = 0;
  } else {
    if (t.ready_since == 0) {
      t.ready_since = g_run.step + 1;
      g_seen_ready[t.index] = false;
    }
    if (&t == g_current) g_seen_ready[t.index] = true;
  }
  return ready;
}

void log_waits_at_end() {
  if (replays_inputs() && !plays_peers()) return;
  for (uint32_t i = 0; i < g_live_count; ++i) {
    ThreadSlot& t = g_threads[g_live[i].slot];
    if (&t != g_current && t.ready_since != 0 && g_seen_ready[t.index]) log_lost_wait(t, t.ready_since - 1, kNeverLost);
  }
}

bool has_recorded(Op op, const Reaching& reaching) {
  if (replays_inputs() && !plays_peers()) lost_wait(*g_current, ~uint64_t{0});
  return plays_peers() ? has_answer(op, reaching) : find(g_current->id, g_current->inputs, op) != nullptr;
}

bool take_input(Op op, const Filled& filled, long* result, const Reaching& reaching) {
  if (plays_peers()) {
    const bool played = play_call(op, filled, result, reaching);
    if (played && (reaching.call == PeerCall::kRead || reaching.call == PeerCall::kAccept) && *result != -EAGAIN) g_heard = g_run.step;
    return played;
  }
  lost_wait(*g_current, ~uint64_t{0});
  uint32_t ordinal = g_current->inputs;
  const InputRecord* r = find(g_current->id, ordinal, op);
  if (r == nullptr) return false;
  *result = r->result;
  if (!peer_in(*r, &g_taken)) g_taken = {};
  // Under another schedule it did not wait: nor will it when that is replayed.
  g_current->ready_since = replays_exactly() ? step_of_stamp(r->stamp) + 1 : 0;
  CallBytes bytes(filled, r->result);
  for (size_t left = bytes.total(); r != nullptr;) {
    const size_t size = contents_of(*r);
    bytes.put(reinterpret_cast<const char*>(r + 1), size);
    left -= size < left ? size : left;
    r = left != 0 && size == kMostInRecord ? find(g_current->id, ++ordinal, op) : nullptr;
  }
  return true;
}

void log_input(Op op, const Filled& filled, long result, const Reaching& reaching) {
  ThreadSlot* me = g_current;
  const uint64_t since = me->ready_since;
  me->ready_since = 0;
  const bool named = names_peers();
  InputPeer peer = named ? peer_of_call(reaching, result) : InputPeer{};
  CallBytes bytes(filled, result);
  size_t left = result >= 0 ? bytes.total() : 0;
  for (bool first = true; first || left != 0; first = false) {
    const size_t size = left < kMostInRecord ? left : kMostInRecord;
    left -= size;
    const uint32_t ordinal = me->inputs++;
    InputRecord* r = new_call(size + (named ? sizeof peer : 0));
    if (r == nullptr) return;
    r->thread = me->id;
    r->ordinal = ordinal;
    r->op = op;
    r->result = result;
    r->stamp = (since != 0 ? since - 1 : 0) | (named ? kHasPeer : 0);
    bytes.get(reinterpret_cast<char*>(r + 1), size);
    if (!first) peer.order = g_logged++;
    if (named) memcpy(reinterpret_cast<char*>(r + 1) + size, &peer, sizeof peer);
  }
  if (is_streaming()) inputs_are_whole();
}

void log_file(int fd, int flags) {
  if (!g_run.attached) return;
  struct stat status;
  if (sys(SYS_fstat, fd, &status) != 0) return;
  if (flags != kNotSaid) opened(fd, status, flags);
  if (!S_ISREG(status.st_mode) || was_logged(status)) return;
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
