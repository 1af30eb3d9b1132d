#include "runtime/process/checkpoint.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

#include "runtime/base/context.h"
#include "runtime/base/memory_map.h"
#include "runtime/base/placement.h"
#include "runtime/base/sys.h"
#include "runtime/engine/clock.h"
#include "runtime/engine/due.h"
#include "runtime/engine/run.h"
#include "runtime/engine/stream.h"
#include "runtime/outside/clock_log.h"
#include "runtime/outside/descriptor_facts.h"
#include "runtime/outside/pids.h"
#include "runtime/outside/trap.h"
#include "runtime/process/begin.h"
#include "runtime/process/kept_descriptors.h"
#include "runtime/process/process_facts.h"

extern "C" __attribute__((weak)) const ptrdiff_t __rseq_offset;

namespace heddle::rt {

uint32_t g_held_for_debugger;

namespace {

constexpr uint64_t kLookEvery = 64;  // events
constexpr int kSignals = 64;
constexpr int kLimits = 16;

struct KernelAction {
  void* handler;
  uint64_t flags;
  void* restorer;
  uint64_t mask;
};

// What the kernel and the channel have of the run, and a process that becomes the checkpoint has to have again.
struct KeptProcess {
  KernelAction actions[kSignals];
  uint64_t mask;
  stack_t alternate;
  rlimit limits[kLimits];
  long file_mode_mask;
  TraceHeader header;
  uint32_t note_count;
  uint64_t file_bytes;
  char* tables;  // the channel's, one after the other
};
HEDDLE_APART KeptProcess g_kept_process;
// With who comes back to it behind it, for heddle_run_script.
struct KeptMark {
  HeddleMark mark;
  void (*come_back)(const HeddleMark*);
};
static_assert(offsetof(KeptMark, come_back) == 72);
KeptMark g_mark;
long g_last_copy;
uint32_t g_last_wanted;  // the request that was answered last, or will be by its copy

CheckpointWords& words() { return g_run.control->checkpoint; }

uint64_t now_us() {
  timespec t;
  sys(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1000000 + static_cast<uint64_t>(t.tv_nsec) / 1000;
}

// The tables of the channel that have to be there before the first event: each({offset, bytes}).
template <typename Each>
void for_each_table(Each each) {
  const ChannelLayout& l = g_run.layout;
  const TraceHeader& h = g_kept_process.header;
  each(l.threads, h.thread_count * sizeof(ThreadRow));
  each(l.modules, h.module_count * sizeof(ModuleRow));
  each(l.objects, h.object_count * sizeof(ObjectRow));
  each(l.notes, g_kept_process.note_count * sizeof(NoteRow));
  each(l.hooks, offsetof(HookBlock, patches));
  each(l.files, g_kept_process.file_bytes);
}

// In the copy. Rows are only ever added: those that were there at the fork stay as they are.
bool keep_tables() {
  uint64_t bytes = 0;
  for_each_table([&](uint64_t, uint64_t size) { bytes += size; });
  auto* to = static_cast<char*>(map_zeroed(bytes + 4096));
  g_kept_process.tables = to;
  if (to == nullptr) return false;
  for_each_table([&](uint64_t offset, uint64_t size) {
    memcpy(to, g_run.channel + offset, size);
    to += size;
  });
  return true;
}

void put_tables_back() {
  const char* from = g_kept_process.tables;
  for_each_table([&](uint64_t offset, uint64_t size) {
    memcpy(g_run.channel + offset, from, size);
    from += size;
  });
  memcpy(g_run.header, &g_kept_process.header, sizeof(TraceHeader));
  g_run.header->input_bytes = 0;
  g_run.header->inputs_lost = 0;
  g_run.control->note_count = g_kept_process.note_count;
  g_run.control->file_bytes = g_kept_process.file_bytes;
}

// nullptr, or why no checkpoint can be had of this program as it is now.
const char* refusal() {
  if (g_run.carrier != Carrier::kFiber) return "the program's threads are on kernel threads: --carrier fiber has checkpoints";
  if (live_children() > 0) return "the program has child processes";
  if (shares_memory()) return "the program shares memory with others, or writes files through it";
  return nullptr;
}

void keep_process() {
  KeptProcess& p = g_kept_process;
  for (int i = 0; i < kSignals; ++i) sys(SYS_rt_sigaction, i + 1, nullptr, &p.actions[i], 8);
  sys(SYS_rt_sigprocmask, 0, nullptr, &p.mask, 8);
  sys(SYS_sigaltstack, nullptr, &p.alternate);
  for (int i = 0; i < kLimits; ++i) sys(SYS_prlimit64, 0, i, nullptr, &p.limits[i]);
  p.file_mode_mask = sys(SYS_umask, 0);
  sys(SYS_umask, p.file_mode_mask);
  memcpy(&p.header, g_run.header, sizeof p.header);
  p.note_count = g_run.control->note_count;
  p.file_bytes = g_run.control->file_bytes;
}

void put_process_back() {
  KeptProcess& p = g_kept_process;
  for (int i = 0; i < kSignals; ++i) sys(SYS_rt_sigaction, i + 1, &p.actions[i], nullptr, 8);
  for (int i = 0; i < kLimits; ++i) sys(SYS_prlimit64, 0, i, &p.limits[i], nullptr);
  sys(SYS_sigaltstack, &p.alternate, nullptr);
  sys(SYS_umask, p.file_mode_mask);
}

void answer(uint32_t wanted, CheckpointState state) {
  words().state = state;
  __atomic_store_n(&words().made, wanted, __ATOMIC_RELEASE);
}

void refuse(uint32_t wanted, const char* why) {
  strncpy(words().why, why, sizeof words().why - 1);
  answer(wanted, CheckpointState::kRefused);
}

// The copy does nothing more: the tool reads its memory. It has nothing open, or a peer would wait in vain for the end of a connection.
[[noreturn]] void be_read(uint32_t wanted) {
  const uint64_t all = ~uint64_t{0};
  sys(SYS_rt_sigprocmask, SIG_SETMASK, &all, nullptr, 8);
  sys(SYS_close_range, 0, ~0U, 0);
  const bool kept = keep_tables();
  words().pid = static_cast<int32_t>(sys(SYS_getpid));
  if (kept) {
    answer(wanted, CheckpointState::kReady);
  } else {
    refuse(wanted, "not enough memory");
  }
  uint32_t taken;
  while (kept && (taken = __atomic_load_n(&words().taken, __ATOMIC_ACQUIRE)) != wanted) {
    const timespec second{1, 0};
    sys(SYS_futex, &words().taken, FUTEX_WAIT, taken, &second);
    if (sys(SYS_kill, g_run.control->tool_pid, 0) == -ESRCH) break;
  }
  sys(SYS_exit_group, 0);
  __builtin_unreachable();
}

// A debugger that comes from beside is let in, wherever only parents are.
void wait_for_debugger() {
  constexpr long kAnybody = -1;
  sys(SYS_prctl, PR_SET_PTRACER, kAnybody, 0, 0, 0);
  g_held_for_debugger = 1;
  while (__atomic_load_n(&g_held_for_debugger, __ATOMIC_ACQUIRE) != 0) {
    const timespec pause{0, 10'000'000};
    sys(SYS_nanosleep, &pause, nullptr);
    if (sys(SYS_kill, g_run.control->tool_pid, 0) == -ESRCH) sys(SYS_exit_group, 125);
  }
}

// The process is new; its memory is the checkpoint's.
void go_on_from_here() {
  Control* c = g_run.control;
  RestoreWords& r = c->restore;
  sys(SYS_munmap, r.at, r.bytes);
  g_run.forked_copy = true;
  g_last_copy = 0;
  // No kernel thread is behind any of them here, whatever the numbers of this process are.
  for (uint32_t i = 0; i < g_thread_count; ++i) g_threads[i].carrier.process = -1;
  number_process_anew();
  c->server_pid = static_cast<int32_t>(sys(SYS_getpid));
  put_tables_back();
  g_run.ring = UINT64_MAX;
  g_run.events = reinterpret_cast<Event*>(g_run.slot + g_run.layout.events) - r.first_event;
  g_run.capacity = r.first_event + kEventCapacity;
  g_run.mapped = g_run.step;
  g_snapshot_step = UINT64_MAX;
  put_process_back();
  open_kept_descriptors();
  catch_inner_calls_again();
  install_plan(0);
  replay_clock();
  read_clock_from_here();
  RestoreState done = RestoreState::kDone;
  __atomic_store(&r.state, &done, __ATOMIC_RELEASE);
  if (r.spare != 0) wait_for_debugger();  // a debugger is to come first (exec/debugger.cpp)
  sys(SYS_rt_sigprocmask, SIG_SETMASK, &g_kept_process.mask, nullptr, 8);
}

// Not a part of its caller: who comes back comes back to this frame.
__attribute__((noinline)) void leave_checkpoint(uint32_t wanted) {
  constexpr int kGetFs = 0x1003;
  const uint64_t begun = now_us();
  if (g_last_copy > 0) sys(SYS_wait4, g_last_copy, nullptr, 1 /* WNOHANG */ | 0x40000000 /* __WALL */, nullptr);
  const char* why = refusal();
  if (why == nullptr) why = keep_descriptors();
  if (why != nullptr) return refuse(wanted, why);
  keep_process();
  end_clock_record();
  CheckpointWords& w = words();
  w.pause_us = 0;
  w.step = g_run.step;
  w.clock_ns = g_run.clock;
  w.mark = reinterpret_cast<uintptr_t>(&g_mark);
  sys(SYS_arch_prctl, kGetFs, &w.fs_base);
  w.program_break = static_cast<uint64_t>(sys(SYS_brk, 0));
  g_mark.come_back = heddle_come_back;
  if (heddle_mark(&g_mark.mark) != 0) return go_on_from_here();
  const long copy = sys(SYS_clone, 0, 0, 0, 0, 0);
  if (copy == 0) be_read(wanted);
  if (copy < 0) return refuse(wanted, "the process cannot be copied");
  g_last_copy = copy;
  __atomic_store_n(&words().pause_us, static_cast<uint32_t>(now_us() - begun) + 1, __ATOMIC_RELEASE);
}

}  // namespace

void look_for_checkpoint() {
  g_snapshot_step = g_run.step + kLookEvery;
  const uint32_t wanted = __atomic_load_n(&words().wanted, __ATOMIC_ACQUIRE);
  if (wanted == g_last_wanted || !is_streaming()) return;
  uint64_t signals = 0;
  sys(SYS_rt_sigpending, &signals, 8);
  // A signal is on its way to a thread: the next look is soon.
  if (signals != 0 || g_attention != 0) return;
  g_last_wanted = wanted;
  leave_checkpoint(wanted);
}

bool is_to_be_restored() { return g_run.control->restore.state != RestoreState::kNone; }

namespace {

// The kernel writes there at any time; glibc has told it where.
void end_restartable_sequences() {
  constexpr long kLength = 32, kUnregister = 1, kSignature = 0x53053053;
  if (&__rseq_offset == nullptr) return;
  sys(SYS_rseq, static_cast<char*>(__builtin_thread_pointer()) + __rseq_offset, kLength, kUnregister, kSignature);
}

}  // namespace

void become_checkpoint(int channel) {
  end_restartable_sequences();
  RestoreWords& r = g_run.control->restore;
  r.pid = static_cast<int32_t>(sys(SYS_getpid));
  r.descriptor = channel;
  RestoreState state = RestoreState::kStopped;
  __atomic_store(&r.state, &state, __ATOMIC_RELEASE);
  sys(SYS_futex, &r.state, FUTEX_WAKE, 1);
  for (;;) {
    __atomic_load(&r.state, &state, __ATOMIC_ACQUIRE);
    if (state == RestoreState::kGo) break;
    const timespec second{1, 0};
    sys(SYS_futex, &r.state, FUTEX_WAIT, static_cast<uint32_t>(RestoreState::kStopped), &second);
    if (state == RestoreState::kGivenUp || sys(SYS_kill, g_run.control->tool_pid, 0) == -ESRCH) sys(SYS_exit_group, 125);
  }
  constexpr int kNoReplace = 0x100000;  // MAP_FIXED_NOREPLACE
  const long at = sys(SYS_mmap, r.at, r.bytes, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_SHARED | kNoReplace, channel, r.offset);
  if (at != static_cast<long>(r.at)) sys(SYS_exit_group, 125);
  // The library itself may have to go to another place.
  char* stack = reinterpret_cast<char*>(at) + r.bytes;
  char* code = stack - kScriptStack;
  const auto* own = reinterpret_cast<const char*>(&heddle_run_script);
  memcpy(code, own, static_cast<size_t>(reinterpret_cast<const char*>(&heddle_run_script_end) - own));
  void (*run)(long) = nullptr;
  memcpy(&run, &code, sizeof run);
  heddle_call_on(stack, run, at);
}

}  // namespace heddle::rt
