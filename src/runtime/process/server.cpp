#include "runtime/process/server.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "runtime/base/check.h"
#include "runtime/base/placement.h"
#include "runtime/base/sys.h"
#include "runtime/engine/carrier.h"
#include "runtime/engine/run.h"
#include "runtime/memory/hooks.h"
#include "runtime/outside/common_state.h"
#include "runtime/outside/pids.h"
#include "runtime/process/begin.h"
#include "runtime/process/huge_pages.h"
#include "runtime/process/recreate_descriptors.h"
#include "runtime/process/rewind.h"
#include "runtime/process/snapshot.h"
#include "wire/servers.h"

namespace heddle::rt {

namespace {

constexpr uint32_t kFirstPool = 4;
constexpr uint32_t kLargestPool = 1024;

// The trace as it stood when this server was reached: every child begins with it. The events themselves are put back by the tool.
struct Beginning {
  TraceHeader header;
  uint32_t note_count;
  NoteRow notes[kMaxNotes];
  char hooks[offsetof(HookBlock, patches)];
};
HEDDLE_APART Beginning g_beginning;
long g_above;  // the server that this process is a child of

HookBlock* hook_block() { return reinterpret_cast<HookBlock*>(g_run.slot + g_run.layout.hooks); }
NoteRow* note_rows() { return reinterpret_cast<NoteRow*>(g_run.slot + g_run.layout.notes); }

void keep_beginning() {
  Beginning& b = g_beginning;
  memcpy(&b.header, g_run.header, sizeof b.header);
  b.note_count = g_run.control->note_count;
  memcpy(b.notes, note_rows(), b.note_count * sizeof(NoteRow));
  memcpy(b.hooks, hook_block(), sizeof b.hooks);
}

void put_beginning_back() {
  const Beginning& b = g_beginning;
  memcpy(g_run.header, &b.header, sizeof b.header);
  g_run.control->note_count = b.note_count;
  memcpy(note_rows(), b.notes, b.note_count * sizeof(NoteRow));
  memcpy(hook_block(), b.hooks, sizeof b.hooks);
}

void wake_tool() { sys(SYS_futex, &g_run.control->reply, FUTEX_WAKE, 1); }

uint64_t now() {
  timespec t;
  sys(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1000000000 + static_cast<uint64_t>(t.tv_nsec);
}

void answer(uint32_t done) {
  __atomic_store_n(&g_run.control->reply, done, __ATOMIC_RELEASE);
  wake_tool();
}

// The pages of the trace that the last run wrote: this one will write about as many.
void map_last_events() {
  constexpr uint64_t kMost = 400'000;  // the next run may be shorter
  uint64_t last = servers_of(g_run.control).last_events;
  if (last > g_run.step + kMost) last = g_run.step + kMost;
  map_events(g_run.step, last);
}

void start_run() {
  recreate_descriptors();
  begin_child();
  install_plan(servers_of(g_run.control).cursor);
  take_orders();
  map_last_events();
}

// In a fresh child.
void begin_run(long server) {
  sys(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (sys(SYS_getppid) != server) sys(SYS_exit_group, 125);
  g_above = server;
  g_run.forked_copy = true;
  start_run();
}

// In a child whose memory has been put back to what the server's is.
void begin_again() {
  g_above = sys(SYS_getppid);
  g_run.forked_copy = true;
  __atomic_store_n(&g_run.control->child_pid, static_cast<int32_t>(sys(SYS_getpid)), __ATOMIC_RELEASE);
  start_run();
}

// Returns in fresh children only. Not a part of its caller: children come back to that one's frame.
__attribute__((noinline)) void serve_requests(uint32_t row, uint32_t done) {
  Control* c = g_run.control;
  const long server = sys(SYS_getpid);
  for (;;) {
    done = await_request(row, done, server);
    if (c->request == Request::kQuit) {
      answer(done);
      sys(SYS_exit_group, 0);
    }
    // Snapshots that the tool has ended. They are "clone children": the program's own are not touched.
    while (sys(SYS_wait4, -1, nullptr, WNOHANG | __WCLONE, nullptr) > 0) {
    }
    // As many donors as the last run used threads: in the child they are there without a system call.
    if (row == 0) fill_pool(donors_wanted());
    begin_request(row);
    before_child(done);
    const uint64_t before = now();
    // A raw clone: glibc's fork would reclaim the donors' stacks and rewrite the thread id that mutexes know their owner by. No exit
    // signal: a program that handles SIGCHLD must not be told of children that are not its own.
    const long child = sys(SYS_clone, 0, 0, 0, 0, 0);
    if (child == 0) return begin_run(server);
    HEDDLE_CHECK(child > 0);
    servers_of(c).fork_ns = now() - before;
    __atomic_store_n(&c->child_pid, static_cast<int32_t>(child), __ATOMIC_RELEASE);
    int status = 0;
    while (sys(SYS_wait4, child, &status, __WALL, 0) == -EINTR) {
    }
    const ChildEnd end = after_child(done, &status);
    done = end.taken;
    if (!end.answered) finish_request(done, status);
  }
}

}  // namespace

long server_above() { return g_above; }

// Ends the process when there is nobody left to make a request, or another server has its row: whoever is killed lives on for a moment,
// and longer where the processor is busy.
uint32_t await_request(uint32_t row, uint32_t done, long server) {
  Control* c = g_run.control;
  ServerRow& place = servers_of(c).rows[row];
  uint32_t* door = &place.door;
  uint32_t next;
  while ((next = __atomic_load_n(door, __ATOMIC_ACQUIRE)) == done) {
    const timespec second{1, 0};
    sys(SYS_futex, door, FUTEX_WAIT, done, &second);
    if (sys(SYS_kill, c->tool_pid, 0) == -ESRCH) sys(SYS_exit_group, 0);
  }
  if (__atomic_load_n(&place.pid, __ATOMIC_ACQUIRE) != server) sys(SYS_exit_group, 0);
  return next;
}

bool is_plain_run() { return g_run.control->request == Request::kRun && servers_of(g_run.control).fork_for_it == 0; }

uint32_t donors_wanted() {
  const uint32_t used = servers_of(g_run.control).last_threads;
  return used <= kFirstPool ? kFirstPool : used < kLargestPool ? used : kLargestPool;
}

void begin_request(uint32_t row) {
  put_beginning_back();
  if (row == 0) begin_counts();
}

void finish_request(uint32_t taken, int status) {
  Control* c = g_run.control;
  ServerTable& table = servers_of(c);
  c->wait_status = status;
  c->child_pid = 0;
  table.last_threads = g_run.header->thread_count;
  table.last_events = g_run.header->executed;
  answer(taken);
}

void serve_from(uint32_t row) {
  Control* c = g_run.control;
  ServerRow& me = servers_of(c).rows[row];
  const uint32_t done = __atomic_load_n(&me.door, __ATOMIC_ACQUIRE);
  keep_beginning();
  me.step = g_run.step;
  me.pid = static_cast<int32_t>(sys(SYS_getpid));
  HeddleMark* place = begin_rewind(row);
  RowState ready = RowState::kReady;
  __atomic_store(&me.state, &ready, __ATOMIC_RELEASE);
  sys(SYS_futex, &me.state, FUTEX_WAKE, 1);
  if (row == 0) {
    ServerState state = ServerState::kReady;
    __atomic_store(&c->state, &state, __ATOMIC_RELEASE);
    wake_tool();
  }
  // A child that comes back here finds the server's memory, with this function under way and nothing above it.
  if (place != nullptr && heddle_mark(place) != 0) return begin_again();
  serve_requests(row, done);
}

void serve() {
  fill_pool(kFirstPool);
  examine_descriptors();
  if (const char* what = common_to_all_runs()) strncpy(servers_of(g_run.control).common, what, sizeof ServerTable::common - 1);
  collapse_memory();
  serve_from(0);
}

}  // namespace heddle::rt
