#include "runtime/run.h"

#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "runtime/carrier.h"
#include "runtime/check.h"
#include "runtime/clock.h"
#include "runtime/heap.h"
#include "runtime/hooks.h"
#include "runtime/input_log.h"
#include "runtime/memory_map.h"
#include "runtime/model.h"
#include "runtime/names.h"
#include "runtime/pids.h"
#include "runtime/placement.h"
#include "runtime/real.h"
#include "runtime/repeated_state.h"
#include "runtime/reuse.h"
#include "runtime/scheduler.h"
#include "runtime/server.h"
#include "runtime/spin.h"
#include "runtime/sys.h"
#include "runtime/trap.h"
#include "runtime/unwinder.h"
#include "wire/inherited.h"

namespace heddle::rt {

Run g_run;

namespace {

HEDDLE_APART PolicyThread g_policy_threads[kMaxThreads];

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

// Before the first thread the trace is in memory of our own, where huge pages can be had; what a short run needs of it is not worth one.
void want_huge_pages(char* from, const char* end) {
  constexpr uintptr_t kHuge = 2 << 20;
  const uintptr_t at = (reinterpret_cast<uintptr_t>(from) + kHuge / 4 + kHuge - 1) & ~(kHuge - 1);
  sys(SYS_madvise, at, reinterpret_cast<uintptr_t>(end) - at, MADV_HUGEPAGE);
}

void fill_row(const ThreadSlot& t) {
  name_row(t);
  ThreadRow& r = g_run.rows[t.index];
  r.operations = t.operations;
  if (t.life == Life::kRemoved) {
    r.state = ThreadState::kRemoved;
  } else if (t.life != Life::kLive) {
    r.state = ThreadState::kFinished;
  } else {
    r.state = ready(t) == Ready::kNo ? ThreadState::kBlocked : ThreadState::kRunnable;
    r.pending = t.pending.op;
    r.object = t.pending.object;
    r.site = t.pending.site;
    const ThreadSlot* h = r.state == ThreadState::kBlocked ? holder(t) : nullptr;
    r.holder = h != nullptr ? h->index : kNoIndex;
    const bool by_condition = t.pending.op == Op::kCondReacquire;
    r.holder_site = h != nullptr ? held_site(h, by_condition ? t.pending.second : t.pending.address) : kNoSite;
  }
}

void fill_rows() {
  g_run.header->thread_count = g_thread_count;
  g_run.header->clock_ns = g_run.clock;
  g_run.header->slices_done = g_run.director.slices_done();
  g_run.header->skipped_slices = g_run.director.slices_skipped();
  for (uint32_t i = 0; i < g_thread_count; ++i) fill_row(g_threads[i]);
}

}  // namespace

void name_row(const ThreadSlot& t) {
  ThreadRow& r = g_run.rows[t.index];
  memset(&r, 0, sizeof r);  // an earlier run's may stand there
  r.holder = kNoIndex;
  r.id = t.id;
  r.parent = t.parent;
  r.birth = t.birth;
  r.entry = t.entry != nullptr ? site_of(reinterpret_cast<void*>(t.entry)) : kNoSite;
}

void say(const char* text) {
  char line[1200];
  const int n = snprintf(line, sizeof line, "heddle: %s\n", text);
  sys(SYS_write, 2, line, n);
}

void check_failed(const char* what, const char* file, int line) {
  char text[300];
  snprintf(text, sizeof text, "internal check failed: %s (%s:%d)", what, strrchr(file, '/') != nullptr ? strrchr(file, '/') + 1 : file,
           line);
  say(text);
  if (g_run.attached) {
    g_run.header->outcome.kind = OutcomeKind::kCannotControl;
    strncpy(g_run.header->outcome.message, text, kMaxMessage - 1);
  }
  sys(SYS_exit_group, 125);
  __builtin_unreachable();
}

void leave_run() {
  if (g_run.attached) release_clock();
  g_run.active = g_run.early = g_run.attached = false;
}

void attach() {
  inherit_numbers();
  const char* variable = getenv(kChannelVariable);
  if (variable == nullptr || g_run.attached) return;
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
  HEDDLE_CHECK(control->version == kWireVersion);
  // Another process is the one under control: this one was started by it, and runs as it likes.
  const auto me = static_cast<int32_t>(sys(SYS_getpid));
  const int32_t claimed_by = __atomic_load_n(&control->server_pid, __ATOMIC_ACQUIRE);
  if (claimed_by != 0 && claimed_by != me) {
    sys(SYS_munmap, control, kControlSize);
    sys(SYS_close, descriptor);
    return;
  }
  g_run.capacity = kEventCapacity;
  g_run.layout = channel_layout(kPlanBytes, kEventCapacity);
  const uint64_t size = control->size;
  if (size < g_run.layout.total) g_run.capacity = (size - g_run.layout.events) / sizeof(Event);
  g_run.channel = map(size, MAP_SHARED, static_cast<int>(descriptor));
  HEDDLE_CHECK(g_run.channel != nullptr);
  sys(SYS_close, descriptor);
  g_run.control = control;
  g_run.carrier = control->carrier;
  // A wrapper's descendants die with it: nothing of ours outlives the tool.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  char* own = map(size, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  HEDDLE_CHECK(own != nullptr);
  note_own_memory(own, size);
  point_slot(own);
  want_huge_pages(own + g_run.layout.events, own + size);
  g_run.attached = true;
  g_run.plan = PlanView::over(g_run.channel + g_run.layout.plan);
  HEDDLE_CHECK(g_run.plan.header->version == kWireVersion);
  const uint64_t env_seed = g_run.plan.header->env_seed;
  start_clock(env_seed);
  name_this_process(env_seed);
  g_run.early = true;
  start_heap();
}

void map_events(uint64_t first, uint64_t last) {
  constexpr uint64_t kPage = 4096;
  constexpr int kPopulate = 23;  // MADV_POPULATE_WRITE, Linux 5.14
  if (last > g_run.capacity) last = g_run.capacity;
  if (g_run.slot == g_run.channel && last > first + kPage / sizeof(Event)) {
    const auto begin = reinterpret_cast<uintptr_t>(g_run.events + first) & ~(kPage - 1);
    const auto end = (reinterpret_cast<uintptr_t>(g_run.events + last) + kPage - 1) & ~(kPage - 1);
    sys(SYS_madvise, begin, end - begin, kPopulate);
  }
  g_run.mapped = last;
}

void map_more_events() {
  constexpr uint64_t kLeast = 65536 / sizeof(Event), kMost = 1048576 / sizeof(Event);
  const uint64_t more = g_run.step < kLeast ? kLeast : g_run.step > kMost ? kMost : g_run.step;
  // Where the table is full there is nothing to map, and nobody asks again.
  if (g_run.step >= g_run.capacity) {
    g_run.mapped = UINT64_MAX;
  } else if (g_run.step < kLeast) {
    g_run.mapped = kLeast;
  } else {
    map_events(g_run.step, g_run.step + more);
  }
}

void install_plan(uint64_t cursor) {
  g_run.plan = PlanView::over(g_run.channel + g_run.layout.plan);
  HEDDLE_CHECK(g_run.plan.header->version == kWireVersion);
  memset(g_policy_threads, 0, sizeof(PolicyThread) * (g_thread_count + 64));
  install_inputs();
  g_run.event_limit = g_run.plan.header->limits.events;
  begin_turn();
  g_run.director.install(g_run.plan, g_policy_threads, 0, cursor);
  install_hooks();
}

void start_main() {
  if (!g_run.attached || g_run.active) return;
  // The unwinder is loaded now: at the time of a failure it may be too late.
  load_unwinder();
  name_modules();
  catch_where_needed();
  install_plan();
  survey_inherited();
  ThreadSlot* me = &g_threads[0];
  me->id = kMainThread;
  me->index = 0;
  me->handle = pthread_self();
  me->fs_base = reinterpret_cast<uintptr_t>(pthread_self());
  me->tid = static_cast<pid_t>(sys(SYS_gettid));
  me->process = static_cast<pid_t>(sys(SYS_getpid));
  sys(SYS_rt_sigprocmask, SIG_SETMASK, nullptr, &me->signal_mask, 8);
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
}

void claim() {
  if (g_run.claimed) return;
  int32_t nobody = 0;
  const auto me = static_cast<int32_t>(sys(SYS_getpid));
  if (!__atomic_compare_exchange_n(&g_run.control->server_pid, &nobody, me, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
    // Another process of this program is the one under control; this one runs as it likes.
    leave_run();
    return;
  }
  if (g_open_store.event != nullptr) settle_store();
  char* own = g_run.slot;
  point_slot(g_run.channel);
  const ChannelLayout& l = g_run.layout;
  memcpy(g_run.channel + l.header, own + l.header, sizeof(TraceHeader));
  memcpy(g_run.channel + l.modules, own + l.modules, g_run.header->module_count * sizeof(ModuleRow));
  memcpy(g_run.channel + l.objects, own + l.objects, g_run.header->object_count * sizeof(ObjectRow));
  memcpy(g_run.channel + l.inputs, own + l.inputs, g_run.header->input_bytes);
  map_events(0, g_run.header->event_count);
  memcpy(g_run.channel + l.events, own + l.events, g_run.header->event_count * sizeof(Event));
  const auto* hooks = reinterpret_cast<const HookBlock*>(own + l.hooks);
  memcpy(g_run.channel + l.hooks, hooks, offsetof(HookBlock, patches) + hooks->patch_count * sizeof(SiteId));
  sys(SYS_munmap, own, l.total);
  forget_own_memory(own);
  g_run.claimed = true;
  for (uint32_t i = 0; i < g_thread_count; ++i) name_row(g_threads[i]);
  if (g_run.control->mode == Mode::kServe) serve();
}

void note(SiteId site, const char* text) {
  auto* notes = reinterpret_cast<NoteRow*>(g_run.slot + g_run.layout.notes);
  uint32_t& count = g_run.control->note_count;
  for (uint32_t i = 0; i < count; ++i) {
    if (strncmp(notes[i].text, text, sizeof notes[i].text - 1) != 0) continue;
    ++notes[i].count;
    return;
  }
  if (count == kMaxNotes) return;
  notes[count].site = site;
  notes[count].count = 1;
  strncpy(notes[count].text, text, sizeof notes[count].text - 1);
  ++count;
}

void capture_stack(SiteId* stack, uint32_t capacity, uint32_t* size, int skip) {
  void* frames[kMaxStack + 8];
  const int depth = backtrace(frames, static_cast<int>(kMaxStack + 8));
  uint32_t n = 0;
  for (int i = skip; i < depth && n < capacity; ++i) {
    if (in_sanitizer(frames[i])) continue;
    const SiteId site = site_of(static_cast<char*>(frames[i]) - 1);
    if (site != kNoSite) stack[n++] = site;
  }
  *size = n;
}

void record_outcome(OutcomeKind kind, int code, const char* message) {
  if (!g_run.claimed && g_run.attached && sys(SYS_getppid) == g_run.control->tool_pid && g_run.control->mode == Mode::kOnce) claim();
  OutcomeBlock& o = g_run.header->outcome;
  if (o.kind != OutcomeKind::kUnknown) return;
  // After a fatal signal the memory of the last store may not be there.
  if (g_open_store.event != nullptr && kind != OutcomeKind::kSignal) settle_store();
  o.kind = kind;
  o.code = code;
  o.thread = g_current != nullptr ? g_current->index : 0;
  strncpy(o.message, message, kMaxMessage - 1);
  if (kind != OutcomeKind::kExit) capture_stack(o.stack, kMaxStack, &o.stack_size, 2);
  note_twins(o.stack, o.stack_size);
  fill_rows();
}

// Every live thread unwinds itself: it is switched to only for that, and switches back.
void collect_stacks() {
  ThreadSlot* me = g_current;
  g_run.collecting = true;
  for (uint32_t i = 0; i < g_live_count; ++i) {
    ThreadSlot* t = &g_threads[g_live[i].slot];
    ThreadRow& r = g_run.rows[t->index];
    if (t == me) {
      capture_stack(r.stack, 24, &r.stack_size, 2);
    } else if (t->pending.op != Op::kThreadStart) {
      g_run.collector = me;
      switch_to(t);
    }
  }
}

// A livelock begins where the last thing happened; a few turns of the loop show it, and thousands would hide it.
void keep_beginning_of_livelock() {
  constexpr uint64_t kTurns = 40;
  const uint64_t since = g_run.step - g_run.last_motion > g_run.step - g_run.last_progress ? g_run.last_progress : g_run.last_motion;
  if (g_run.header->event_count > since + kTurns) g_run.header->event_count = since + kTurns;
}

void end_run(OutcomeKind kind, int code, const char* message) {
  stop_looking(g_current);
  record_outcome(kind, code, message);
  if (kind == OutcomeKind::kLivelock) keep_beginning_of_livelock();
  const bool all_stand =
      kind == OutcomeKind::kDeadlock || kind == OutcomeKind::kLivelock || kind == OutcomeKind::kExternalWait || kind == OutcomeKind::kLimit;
  if (all_stand) collect_stacks();
  const int said = kind == OutcomeKind::kDiverged || kind == OutcomeKind::kCannotControl ? 125 : 1;
  end_child(said << 8);
  sys(SYS_exit_group, said);
  __builtin_unreachable();
}

}  // namespace heddle::rt
