#include "runtime/process/snapshot.h"

#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>

#include "runtime/base/placement.h"
#include "runtime/base/sys.h"
#include "runtime/engine/due.h"
#include "runtime/engine/run.h"
#include "runtime/outside/delivery.h"
#include "runtime/outside/pids.h"
#include "runtime/process/process_facts.h"
#include "runtime/process/recreate_descriptors.h"
#include "runtime/process/rewind.h"
#include "runtime/process/server.h"
#include "wire/servers.h"

namespace heddle::rt {

namespace {

constexpr int kPreparationSeconds = 5;

ServerTable& table() { return servers_of(g_run.control); }

uint32_t g_order;  // the next of the request's orders

void next_order() { g_snapshot_step = g_order < table().order_count ? table().orders[g_order].step : UINT64_MAX; }

// What only the run itself can know; the copy asks the rest.
bool can_be_copied() {
  uint64_t signals = 0;
  sys(SYS_rt_sigpending, &signals, 8);
  return g_run.carrier == Carrier::kFiber && !g_run.idled && !g_run.exiting && signals == 0 && g_attention == 0 && live_children() == 0 &&
         g_run.header->input_bytes == 0;  // what a peer has sent it will not send again
}

// The tool puts back what was written so far: it must be all that lies before the offset.
bool streams_are_simple(int64_t* offsets) {
  for (int fd = 0; fd < 3; ++fd) {
    struct stat status;
    offsets[fd] = sys(SYS_lseek, fd, 0, SEEK_CUR);
    if (offsets[fd] < 0 || sys(SYS_fstat, fd, &status) != 0 || (fd > 0 && status.st_size != offsets[fd])) return false;
  }
  return true;
}

void set_state(ServerRow* row, RowState state) {
  __atomic_store(&row->state, &state, __ATOMIC_RELEASE);
  sys(SYS_futex, &row->state, FUTEX_WAKE, 1);
}

void serve_from_here(uint32_t number, long above) {
  ServerRow& row = table().rows[number];
  sys(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (sys(SYS_getppid) != above) sys(SYS_exit_group, 125);
  g_run.forked_copy = true;
  forget_rewind();
  if (shares_memory() || !separate_descriptors() || !streams_are_simple(row.offsets)) {
    set_state(&row, RowState::kRefused);
    sys(SYS_exit_group, 0);
  }
  serve_from(number);
}

}  // namespace

void take_orders() {
  g_order = 0;
  next_order();
}

void take_snapshot() {
  const uint32_t number = table().orders[g_order++].row;
  next_order();
  ServerRow& row = table().rows[number];
  if (!can_be_copied() || !can_separate_descriptors()) return set_state(&row, RowState::kRefused);
  set_state(&row, RowState::kPreparing);
  const long above = server_above();
  // A sister of the run, not its child: it outlives the run, and dies with the server above them both.
  const long copy = sys(SYS_clone, CLONE_PARENT, 0, 0, 0, 0);
  if (copy == 0) return serve_from_here(number, above);
  if (copy < 0) return set_state(&row, RowState::kRefused);
  // It must have descriptors of its own before this run goes on with those.
  const timespec second{1, 0};
  for (int waited = 0; waited < kPreparationSeconds;) {
    RowState state;
    __atomic_load(&row.state, &state, __ATOMIC_ACQUIRE);
    if (state != RowState::kPreparing) return;
    if (sys(SYS_futex, &row.state, FUTEX_WAIT, RowState::kPreparing, &second) == -ETIMEDOUT) ++waited;
  }
  sys(SYS_kill, copy, SIGKILL);
  set_state(&row, RowState::kRefused);
}

}  // namespace heddle::rt
