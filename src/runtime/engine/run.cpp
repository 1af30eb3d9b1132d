#include "runtime/engine/run.h"

#include <execinfo.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/base/check.h"
#include "runtime/base/sys.h"
#include "runtime/engine/carrier.h"
#include "runtime/engine/clock.h"
#include "runtime/engine/due.h"
#include "runtime/engine/model.h"
#include "runtime/engine/names.h"
#include "runtime/engine/repeated_state.h"
#include "runtime/engine/stream.h"
#include "runtime/engine/upward.h"

namespace heddle::rt {

Run g_run;

namespace {

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
  if (is_streaming()) {
    g_run.mapped = wait_for_event_room();
  } else if (g_run.step >= g_run.capacity) {
    g_run.mapped = UINT64_MAX;
  } else if (g_run.step < kLeast) {
    g_run.mapped = kLeast;
  } else {
    map_events(g_run.step, g_run.step + more);
  }
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
  if (!g_run.claimed && g_run.attached && sys(SYS_getppid) == g_run.control->tool_pid && g_run.control->mode == Mode::kOnce)
    kUpward.claim();
  OutcomeBlock& o = g_run.header->outcome;
  if (o.kind != OutcomeKind::kUnknown) return;
  // After a fatal signal the memory of the last store may not be there.
  if (g_open_store.event != nullptr && kind != OutcomeKind::kSignal) kUpward.settle_store();
  o.kind = kind;
  o.code = code;
  o.thread = g_current != nullptr ? g_current->index : 0;
  strncpy(o.message, message, kMaxMessage - 1);
  if (kind != OutcomeKind::kExit) capture_stack(o.stack, kMaxStack, &o.stack_size, 2);
  kUpward.note_twins(o.stack, o.stack_size);
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
  const uint64_t since =
      g_run.step - g_run.progress.last_motion > g_run.step - g_run.progress.last ? g_run.progress.last : g_run.progress.last_motion;
  if (g_run.header->event_count > since + kTurns) g_run.header->event_count = since + kTurns;
}

void end_run(OutcomeKind kind, int code, const char* message) {
  stop_looking(g_current);
  record_outcome(kind, code, message);
  if (kind == OutcomeKind::kLivelock) keep_beginning_of_livelock();
  const bool all_stopped =
      kind == OutcomeKind::kDeadlock || kind == OutcomeKind::kLivelock || kind == OutcomeKind::kExternalWait || kind == OutcomeKind::kLimit;
  if (all_stopped) collect_stacks();
  const int said = kind == OutcomeKind::kDiverged || kind == OutcomeKind::kCannotControl ? 125 : 1;
  kUpward.end_child(said << 8);
  sys(SYS_exit_group, said);
  __builtin_unreachable();
}

}  // namespace heddle::rt
