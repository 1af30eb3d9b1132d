// Threads: creation, end, join, detach, and the destructors that run at a thread's end.
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "runtime/base/check.h"
#include "runtime/base/placement.h"
#include "runtime/base/real.h"
#include "runtime/base/real_io.h"
#include "runtime/base/sys.h"
#include "runtime/calls/lock.h"
#include "runtime/calls/once.h"
#include "runtime/calls/thread.h"
#include "runtime/engine/carrier.h"
#include "runtime/engine/clock.h"
#include "runtime/engine/names.h"
#include "runtime/engine/sanitizer.h"
#include "runtime/engine/scheduler.h"
#include "runtime/outside/delivery.h"
#include "runtime/process/begin.h"

namespace heddle::rt {

namespace {

struct Key {
  pthread_key_t key;
  void (*destructor)(void*);
  const void* creator;  // the return address of the call
};
constexpr uint32_t kMaxKeys = 1024;
HEDDLE_APART Key g_keys[kMaxKeys];
uint32_t g_key_count;

HEDDLE_APART uint32_t g_unreaped[kMaxThreads];  // detached threads that have finished
uint32_t g_unreaped_count;

// `late`: those of a sanitizer, which forgets the thread there.
void run_key_destructors(bool late) {
  for (int round = 0; round < 4; ++round) {
    bool any = false;
    for (uint32_t i = 0; i < g_key_count; ++i) {
      if (in_sanitizer(g_keys[i].creator) != late) continue;
      void* value = pthread_getspecific(g_keys[i].key);
      if (value == nullptr) continue;
      any = true;
      pthread_setspecific(g_keys[i].key, nullptr);
      g_keys[i].destructor(value);
    }
    if (!any) return;
  }
}

// thread_local destructors and pthread keys run on the thread itself, under control, before its exit is recorded; what glibc does
// natively afterwards finds nothing left.
void run_destructors() {
  if (real().call_tls_dtors != nullptr) real().call_tls_dtors();
  run_key_destructors(false);
}

ObjectId thread_object(const ThreadSlot* t) { return make_object(ObjectKind::kThread, t->id, 0); }

// In a child process that a thread has forked there is nobody but it, and glibc ends it.
void finish_thread(ThreadSlot* me) {
  if (!active()) return;
  me->ending = true;
  run_destructors();
  Pending p{};
  p.op = Op::kThreadExit;
  p.object = thread_object(me);
  p.site = me->pending.site;
  point(p);
  orphan_mutexes(*me);
  if (g_live_count == 1) {
    // The last thread to leave ends the process, as glibc does.
    real().exit(0);
  }
  if (me->detached) g_unreaped[g_unreaped_count++] = me->index;
  // Where it has a kernel thread, its native end does this.
  if (me->carrier.process != static_cast<pid_t>(sys(SYS_getpid))) run_key_destructors(true);
  take_no_more_signals(me);
  leave_for_ever();
}

// Where code without unwind tables is in between, nobody was asked on the way out.
void leave_onces(ThreadSlot* me) {
  while (me->once_count > 0) give_up_once(me);
}

void on_unwound(void* argument) {
  auto* me = static_cast<ThreadSlot*>(argument);
  leave_onces(me);
  finish_thread(me);
}

void reap_detached() {
  while (g_unreaped_count > 0) reap(&g_threads[g_unreaped[--g_unreaped_count]]);
}

int join_thread(pthread_t handle, void** result, Op op, uint64_t deadline, void* pc) {
  ThreadSlot* t = slot_of(handle);
  if (t == nullptr) return ESRCH;
  if (t == g_current) return EDEADLK;
  if (t->detached) return EINVAL;
  Pending p{};
  p.op = op;
  p.address = t;
  p.object = thread_object(t);
  p.site = caller_site(pc);
  p.deadline = deadline;
  p.cancels = op != Op::kThreadTryJoin;
  Event* e = point(p);
  if (t->life == Life::kRemoved) {
    e->flags |= kDisabledThread;
    if (result != nullptr) *result = nullptr;
    return 0;
  }
  if (t->life != Life::kFinished) {
    if (op == Op::kThreadTryJoin) {
      e->flags |= kFailed;
      return EBUSY;
    }
    e->flags |= kTimedOut | kChoice;
    e->value = kChoiceTimeout;
    return ETIMEDOUT;
  }
  if (result != nullptr) *result = t->result;
  reap(t);
  return 0;
}

// Without a time it waits as long as it takes.
int join_until(pthread_t handle, void** result, clockid_t clock, const timespec* until, void* pc) {
  if (!is_wait_clock(clock)) return EINVAL;
  if (!active()) {
    static int (*library)(pthread_t, void**, clockid_t, const timespec*);
    if (library == nullptr) library = next_symbol<decltype(library)>("pthread_clockjoin_np");
    return library(handle, result, clock, RealTime(clock, until));
  }
  if (until == nullptr) return join_thread(handle, result, Op::kThreadJoin, 0, pc);
  if (!valid_nanoseconds(until)) return EINVAL;
  return join_thread(handle, result, Op::kThreadTimedJoin, deadline_at(clock, until), pc);
}

}  // namespace

void run_thread(ThreadSlot* me) {
  begin_thread(me);
  // Catches pthread_exit and cancellation without libstdc++: compiled without exceptions this is glibc's setjmp form.
  pthread_cleanup_push(on_unwound, me);
  me->result = me->entry(me->argument);
  pthread_cleanup_pop(0);
  finish_thread(me);
}

void finish_main() {
  leave_onces(&g_threads[0]);
  finish_thread(&g_threads[0]);
}

}  // namespace heddle::rt

using namespace heddle;
using namespace heddle::rt;

namespace {

// `native`: makes a thread that is not controlled.
int create_thread(pthread_t* handle, const pthread_attr_t* attributes, ThreadEntry entry, void* argument, CreateThread* native, void* pc) {
  if (g_run.attached && !g_run.active && !t_managed) start_main();
  if (!active()) return native(handle, attributes, entry, argument);
  claim();
  if (!active()) return native(handle, attributes, entry, argument);
  ThreadSlot* me = g_current;
  while (g_run.director.skips(SkipKind::kBirth, child_thread(me->id, me->births + 1), 0, 0)) ++me->births;
  const uint32_t birth = ++me->births;
  const ThreadId id = child_thread(me->id, birth);
  Pending p{};
  p.op = Op::kThreadCreate;
  p.object = make_object(ObjectKind::kThread, id, 0);
  p.site = caller_site(pc);
  p.value = birth;
  const bool removed = g_run.director.removed(id);
  if (removed) p.flags = kDisabledThread;
  point(p);
  reap_detached();
  int error = 0;
  ThreadSlot* t = take_slot(attributes, &error);
  if (t == nullptr) return error;
  t->id = id;
  t->parent = me->index;
  t->birth = birth;
  t->entry = entry;
  t->argument = argument;
  t->pending = Pending{};
  t->pending.op = Op::kThreadStart;
  t->pending.object = p.object;
  t->pending.site = site_of(reinterpret_cast<void*>(entry));
  t->life = removed ? Life::kRemoved : Life::kLive;
  if (!removed) add_live(t);
  g_run.header->thread_count = g_thread_count;
  name_row(*t);
  *handle = t->carrier.handle;
  if (g_run.after_releases && !removed) {
    p.op = Op::kReleased;
    point(p);
  }
  return 0;
}

// The program's call, where it would have gone to a sanitizer's.
int create_from_program(pthread_t* handle, const pthread_attr_t* attributes, ThreadEntry entry, void* argument) {
  return create_thread(handle, attributes, entry, argument, create_known_thread, __builtin_return_address(0));
}

}  // namespace

namespace heddle::rt {
void take_thread_creation() { meet_sanitizer(create_from_program); }
}  // namespace heddle::rt

HEDDLE_EXPORT int pthread_create(pthread_t* handle, const pthread_attr_t* attributes, ThreadEntry entry, void* argument) {
  return create_thread(handle, attributes, entry, argument, real().pthread_create, __builtin_return_address(0));
}

HEDDLE_EXPORT int pthread_setattr_default_np(const pthread_attr_t* attributes) noexcept {
  static decltype(&::pthread_setattr_default_np) library;
  if (library == nullptr) library = next_symbol<decltype(library)>("pthread_setattr_default_np");
  const int error = library(attributes);
  if (error == 0) g_defaults_changed = true;
  return error;
}

HEDDLE_EXPORT int pthread_join(pthread_t handle, void** result) {
  if (!active()) return real().pthread_join(handle, result);
  return join_thread(handle, result, Op::kThreadJoin, 0, __builtin_return_address(0));
}

HEDDLE_EXPORT int pthread_tryjoin_np(pthread_t handle, void** result) {
  if (!active()) return EBUSY;
  return join_thread(handle, result, Op::kThreadTryJoin, 0, __builtin_return_address(0));
}

HEDDLE_EXPORT int pthread_timedjoin_np(pthread_t handle, void** result, const timespec* until) {
  return join_until(handle, result, CLOCK_REALTIME, until, __builtin_return_address(0));
}

HEDDLE_EXPORT int pthread_clockjoin_np(pthread_t handle, void** result, clockid_t clock, const timespec* until) {
  return join_until(handle, result, clock, until, __builtin_return_address(0));
}

HEDDLE_EXPORT int pthread_detach(pthread_t handle) {
  if (!active()) return real().pthread_detach(handle);
  ThreadSlot* t = slot_of(handle);
  if (t == nullptr) return ESRCH;
  if (t->detached) return EINVAL;
  Pending p{};
  p.op = Op::kThreadDetach;
  p.object = make_object(ObjectKind::kThread, t->id, 0);
  p.site = caller_site(__builtin_return_address(0));
  point(p);
  t->detached = true;
  if (t->life == Life::kFinished) reap(t);
  return 0;
}

HEDDLE_EXPORT void pthread_exit(void* result) {
  if (active()) {
    g_current->result = result;
    g_current->cancel.disabled = true;
  }
  real().pthread_exit(result);
  __builtin_unreachable();
}

HEDDLE_EXPORT int pthread_key_create(pthread_key_t* key, void (*destructor)(void*)) {
  const int error = real().pthread_key_create(key, destructor);
  if (error == 0 && destructor != nullptr && g_key_count < kMaxKeys) {
    g_keys[g_key_count++] = {*key, destructor, __builtin_return_address(0)};
  }
  return error;
}

HEDDLE_EXPORT int pthread_key_delete(pthread_key_t key) {
  for (uint32_t i = 0; i < g_key_count; ++i) {
    if (g_keys[i].key != key) continue;
    g_keys[i] = g_keys[--g_key_count];
    break;
  }
  return real().pthread_key_delete(key);
}
