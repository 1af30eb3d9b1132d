// clone as the program calls it: a process like fork's, or a thread that no interposer of pthread_create sees.
#include <sched.h>
#include <stdarg.h>
#include <stdint.h>

#include "runtime/base/real.h"
#include "runtime/base/real_io.h"
#include "runtime/calls/child.h"
#include "runtime/calls/clone.h"
#include "runtime/engine/scheduler.h"
#include "runtime/engine/strange_threads.h"

using namespace heddle;
using namespace heddle::rt;

namespace {

struct Start {
  int (*function)(void*);
  void* argument;
};

int begin_process(void* start) {
  const Start own = *static_cast<Start*>(start);
  on_child();
  return own.function(own.argument);
}

}  // namespace

namespace heddle::rt {

CloneKind clone_kind(uint64_t flags) {
  if ((flags & CLONE_VM) == 0) return CloneKind::kProcess;
  // Its maker stands still until it is another program or has ended.
  return (flags & CLONE_VFORK) != 0 ? CloneKind::kLikeVfork : CloneKind::kThread;
}

}  // namespace heddle::rt

HEDDLE_EXPORT int clone(int (*function)(void*), void* stack, int flags, void* argument, ...) noexcept {
  static int (*library)(int (*)(void*), void*, int, void*, ...);
  if (library == nullptr) library = next_symbol<decltype(library)>("clone");
  va_list more;
  va_start(more, argument);
  auto* parent_tid = va_arg(more, pid_t*);
  void* tls = va_arg(more, void*);
  auto* child_tid = va_arg(more, pid_t*);
  va_end(more);
  const CloneKind kind = clone_kind(static_cast<unsigned>(flags));
  if (!active() || kind == CloneKind::kLikeVfork) return library(function, stack, flags, argument, parent_tid, tls, child_tid);
  if (kind == CloneKind::kThread) {
    note_strange_thread(__builtin_return_address(0));
  } else {
    point(Op::kFork, nullptr, __builtin_return_address(0));
  }
  if ((flags & CLONE_THREAD) != 0) return library(function, stack, flags, argument, parent_tid, tls, child_tid);
  Start start{function, argument};  // the child has a copy of it
  const bool own_memory = kind == CloneKind::kProcess;
  const pid_t number = before_child();
  const int child =
      library(own_memory ? begin_process : function, stack, flags, own_memory ? &start : argument, parent_tid, tls, child_tid);
  return made_child(child, own_memory ? number : 0);
}
