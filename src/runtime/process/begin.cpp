#include "runtime/process/begin.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include "runtime/base/check.h"
#include "runtime/base/memory_map.h"
#include "runtime/base/placement.h"
#include "runtime/base/sys.h"
#include "runtime/engine/carrier.h"
#include "runtime/engine/clock.h"
#include "runtime/engine/due.h"
#include "runtime/engine/iterations.h"
#include "runtime/engine/names.h"
#include "runtime/engine/run.h"
#include "runtime/engine/scheduler.h"
#include "runtime/engine/spin.h"
#include "runtime/engine/stream.h"
#include "runtime/engine/unwinder.h"
#include "runtime/memory/access_ring.h"
#include "runtime/memory/heap.h"
#include "runtime/memory/hooks.h"
#include "runtime/outside/clock_log.h"
#include "runtime/outside/input_log.h"
#include "runtime/outside/pids.h"
#include "runtime/outside/trap.h"
#include "runtime/process/checkpoint.h"
#include "runtime/process/kept_descriptors.h"
#include "runtime/process/server.h"
#include "wire/elf_note.h"
#include "wire/inherited.h"

namespace heddle::rt {

namespace {

HEDDLE_APART PolicyThread g_policy_threads[kMaxThreads];

// The forks that this process comes from, the first one first: a name for each. None: it is the first process.
Branches g_branches;

uint64_t branch_of_next_fork() {
  const uint64_t own = g_branches.count != 0 ? g_branches.names[g_branches.count - 1] : 0;
  return mix(own + 1, g_run.step);
}

bool is_recorded_process() {
  const Branches* recorded = recorded_branches();
  const uint32_t count = recorded != nullptr ? recorded->count : 0;
  return count == g_branches.count && (count == 0 || memcmp(recorded->names, g_branches.names, count * sizeof(uint64_t)) == 0);
}

bool replays_strictly() { return g_run.plan.header->strictness == Strictness::kStrict; }

void point_slot(char* slot) {
  g_run.slot = slot;
  g_run.header = reinterpret_cast<TraceHeader*>(slot + g_run.layout.header);
  g_run.rows = reinterpret_cast<ThreadRow*>(slot + g_run.layout.threads);
  g_run.events = reinterpret_cast<Event*>(slot + g_run.layout.events);
}

char* map(size_t bytes, int flags, int descriptor) {
  const long at = sys(SYS_mmap, 0, bytes, PROT_READ | PROT_WRITE, flags | MAP_NORESERVE, descriptor, 0);
  return at < 0 && at > -4096 ? nullptr : reinterpret_cast<char*>(at);
}

// The recording's clock where there is one; else the one that the plan wants.
void start_time(uint64_t env_seed) {
  ClockBase base{};
  const bool recorded = recorded_base(&base);
  if (!recorded && g_run.plan.header->time != TimeKind::kReal) {
    start_clock(env_seed);
    return;
  }
  if (recorded) {
    start_recorded_clock(base);
  } else {
    base = real_base();
    start_real_clock(base);
  }
  log_base(base);
}

// Before the first thread the trace is in memory of our own, where huge pages can be had; what a short run needs of it is not worth one.
void want_huge_pages(char* from, const char* end) {
  constexpr uintptr_t kHuge = 2 << 20;
  const uintptr_t at = (reinterpret_cast<uintptr_t>(from) + kHuge / 4 + kHuge - 1) & ~(kHuge - 1);
  sys(SYS_madvise, at, reinterpret_cast<uintptr_t>(end) - at, MADV_HUGEPAGE);
}

// The sixteen random bytes that the kernel gives to every process. The C library has made its canary of them; some programs seed their numbers by them.
void seed_auxiliary_bytes(uint64_t env_seed) {
  auto* bytes = reinterpret_cast<uint64_t*>(getauxval(AT_RANDOM));
  if (env_seed == 0 || bytes == nullptr) return;
  for (uint64_t i = 0; i < 2; ++i) {
    const uint64_t word = mix(env_seed, ~i);
    memcpy(bytes + i, &word, sizeof word);
  }
}

bool is_of_go() {
  const auto* headers = reinterpret_cast<const Elf64_Phdr*>(getauxval(AT_PHDR));
  const uint64_t count = getauxval(AT_PHNUM);
  uintptr_t bias = 0;
  for (uint64_t i = 0; headers != nullptr && i < count; ++i) {
    if (headers[i].p_type == PT_PHDR) bias = reinterpret_cast<uintptr_t>(headers) - headers[i].p_vaddr;
    if (headers[i].p_type == PT_NOTE && is_note_of_go(reinterpret_cast<const char*>(bias + headers[i].p_vaddr), headers[i].p_filesz))
      return true;
  }
  return false;
}

void begin_by_plan() {
  g_run.plan = PlanView::over(g_run.channel + g_run.layout.plan);
  HEDDLE_CHECK(g_run.plan.header->version == kChannelVersion);
  const uint64_t env_seed = g_run.plan.header->env_seed;
  examine_streams();
  seed_auxiliary_bytes(env_seed);
  install_inputs();
  start_time(env_seed);
  name_this_process(env_seed);
  g_run.early = true;
  start_heap();
}

// A wrapper (env, a shell, a script of tests) has come to Heddle itself.
bool is_the_tool() {
  char path[32];
  struct stat own {
  }, tool{};
  snprintf(path, sizeof path, "/proc/%d/exe", g_run.control->tool_pid);
  if (sys(SYS_newfstatat, AT_FDCWD, path, &tool, 0) != 0 || sys(SYS_newfstatat, AT_FDCWD, "/proc/self/exe", &own, 0) != 0) return false;
  // A run's view of the files shows the same file on a device of its own.
  return own.st_ino == tool.st_ino && own.st_size == tool.st_size && own.st_mtim.tv_sec == tool.st_mtim.tv_sec &&
         own.st_mtim.tv_nsec == tool.st_mtim.tv_nsec;
}

}  // namespace

void attach() {
  inherit_numbers();
  const char* variable = getenv(kChannelVariable);
  // The tool refuses a program of Go; one that a script starts runs as it likes.
  if (variable == nullptr || g_run.attached || is_of_go()) return;
  char path[64];
  const char* colon = strchr(variable, ':');
  if (colon == nullptr) return;
  snprintf(path, sizeof path, "/proc/%d/fd/%d", atoi(variable), atoi(colon + 1));
  long descriptor = sys(SYS_open, path, O_RDWR | O_CLOEXEC, 0);
  if (descriptor < 0) {
    snprintf(path, sizeof path, "/proc/self/fd/%d", kInheritedChannel);
    descriptor = sys(SYS_open, path, O_RDWR | O_CLOEXEC, 0);
  }
  if (descriptor < 0) {
    say("cannot reach the tool's shared memory; running without control");
    return;
  }
  auto* control = reinterpret_cast<Control*>(map(kControlSize, MAP_SHARED, static_cast<int>(descriptor)));
  HEDDLE_CHECK(control != nullptr && control->magic == kChannelMagic);
  HEDDLE_CHECK(control->version == kChannelVersion);
  // Another process is the one under control: this one was started by it, and runs as it likes.
  const auto me = static_cast<int32_t>(sys(SYS_getpid));
  const int32_t claimed_by = __atomic_load_n(&control->server_pid, __ATOMIC_ACQUIRE);
  if (claimed_by != 0 && claimed_by != me) {
    sys(SYS_munmap, control, kControlSize);
    sys(SYS_close, descriptor);
    return;
  }
  g_run.capacity = kEventCapacity;
  g_run.ring = UINT64_MAX;
  g_run.layout = channel_layout(kPlanBytes, kEventCapacity);
  const uint64_t size = control->size;
  if (size < g_run.layout.total) g_run.capacity = (size - g_run.layout.events) / sizeof(Event);
  g_run.channel = map(size, MAP_SHARED, static_cast<int>(descriptor));
  HEDDLE_CHECK(g_run.channel != nullptr);
  g_run.control = control;
  if (is_to_be_restored()) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    become_checkpoint(static_cast<int>(descriptor));
  }
  sys(SYS_close, descriptor);
  note_streams();
  g_run.carrier = control->carrier;
  // A wrapper's descendants die with it: nothing of ours outlives the tool.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  char* own = map(size, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  HEDDLE_CHECK(own != nullptr);
  note_own_memory(own, size);
  point_slot(own);
  want_huge_pages(own + g_run.layout.events, own + size);
  g_run.attached = true;
  begin_by_plan();
}

void install_plan(uint64_t cursor) {
  g_run.plan = PlanView::over(g_run.channel + g_run.layout.plan);
  HEDDLE_CHECK(g_run.plan.header->version == kChannelVersion);
  memset(g_policy_threads, 0, sizeof(PolicyThread) * (g_thread_count + 64));
  install_inputs();
  g_run.event_limit = g_run.plan.header->limits.events;
  g_run.after_releases = false;
  for (uint32_t i = 0; i < g_run.plan.header->site_count; ++i) {
    if (g_run.plan.sites[i] == kAfterReleases) g_run.after_releases = true;
  }
  begin_turn();
  g_run.director.install(g_run.plan, g_policy_threads, 0, cursor);
  install_hooks();
  const PlanHeader& h = *g_run.plan.header;
  bool leaves_out = false;
  for (uint32_t i = 0; i < h.skip_count; ++i) leaves_out = leaves_out || g_run.plan.skips[i].kind == SkipKind::kStatement;
  heddle_statements = leaves_out || (h.detect & kDetectStatements) != 0 ? 1 : 0;
}

void start_main() {
  if (!g_run.attached || g_run.active) return;
  // The unwinder is loaded now: at the time of a failure it may be too late.
  load_unwinder();
  ask_for_ring();
  name_modules();
  catch_where_needed();
  install_plan();
  examine_inherited();
  ThreadSlot* me = &g_threads[0];
  me->id = kMainThread;
  me->index = 0;
  me->carrier.handle = pthread_self();
  me->carrier.fs_base = reinterpret_cast<uintptr_t>(pthread_self());
  me->tid = static_cast<pid_t>(sys(SYS_gettid));
  me->carrier.process = static_cast<pid_t>(sys(SYS_getpid));
  sys(SYS_rt_sigprocmask, SIG_SETMASK, nullptr, &me->signals.mask, 8);
  me->life = Life::kLive;
  find_stack(me);
  find_alternate_stack(me);
  g_thread_count = 1;
  add_live(me);
  g_current = me;
  watch_switched();
  t_managed = 1;
  g_run.active = true;
  g_run.early = false;
  me->pending = Pending{};
  me->pending.op = Op::kThreadStart;
  begin_thread(me);
  if (is_the_tool()) end_run(OutcomeKind::kCannotControl, 0, "the program starts Heddle itself, which cannot work under its own control");
}

bool begins_as_candidate() {
  const bool may = g_run.attached && !g_run.claimed && g_run.active && g_live_count == 1 && g_branches.count < kMostBranches;
  if (!may) return false;
  g_branches.names[g_branches.count++] = branch_of_next_fork();
  g_current->tid = static_cast<pid_t>(sys(SYS_gettid));
  g_current->carrier.process = static_cast<pid_t>(sys(SYS_getpid));
  return true;
}

void has_forked() {
  const Branches* recorded = g_run.attached && !g_run.claimed && replays_strictly() ? recorded_branches() : nullptr;
  if (recorded == nullptr || recorded->count <= g_branches.count) return;
  if (recorded->names[g_branches.count] == branch_of_next_fork()) leave_run();
}

void claim() {
  if (g_run.claimed) return;
  // A replay controls the process that was recorded: the others leave it the trace.
  if (replays_strictly() && !is_recorded_process()) {
    leave_run();
    return;
  }
  int32_t nobody = 0;
  const auto me = static_cast<int32_t>(sys(SYS_getpid));
  if (!__atomic_compare_exchange_n(&g_run.control->server_pid, &nobody, me, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
    // Another process of this program is the one under control; this one runs as it likes.
    leave_run();
    return;
  }
  if (g_open_store.event != nullptr) settle_store();
  if (g_branches.count != 0 || !g_virtual_time) log_branches(g_branches);
  char* own = g_run.slot;
  point_slot(g_run.channel);
  const ChannelLayout& l = g_run.layout;
  TraceHeader header;
  memcpy(&header, own + l.header, sizeof header);
  memcpy(g_run.channel + l.modules, own + l.modules, header.module_count * sizeof(ModuleRow));
  memcpy(g_run.channel + l.objects, own + l.objects, header.object_count * sizeof(ObjectRow));
  const bool streams = g_run.control->stream.events != 0;
  // The tool may look at any time, and takes what is counted: it has to be there, and the rings have nothing yet.
  if (streams) header.event_count = header.input_bytes = 0;
  memcpy(g_run.channel + l.header, &header, sizeof header);
  if (!streams) {
    memcpy(g_run.channel + l.inputs, own + l.inputs, g_run.header->input_bytes);
    map_events(0, g_run.header->event_count);
    memcpy(g_run.channel + l.events, own + l.events, g_run.header->event_count * sizeof(Event));
  }
  const auto* hooks = reinterpret_cast<const HookBlock*>(own + l.hooks);
  memcpy(g_run.channel + l.hooks, hooks, offsetof(HookBlock, patches) + hooks->patch_count * sizeof(SiteId));
  g_run.claimed = true;
  if (streams) {
    begin_stream(own);
    g_snapshot_step = g_run.step;  // from here on it is looked whether the tool wants a checkpoint
  }
  sys(SYS_munmap, own, l.total);
  forget_own_memory(own);
  for (uint32_t i = 0; i < g_thread_count; ++i) name_row(g_threads[i]);
  if (g_run.control->mode == Mode::kServe) serve();
}

}  // namespace heddle::rt
