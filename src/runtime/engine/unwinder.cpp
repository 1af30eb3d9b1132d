#include "runtime/engine/unwinder.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <unwind.h>

#include "runtime/engine/state_hash.h"

namespace heddle::rt {

namespace {

// libgcc_s is loaded by the C library itself when it needs it; we may not need it.
struct Unwinder {
  decltype(&_Unwind_Backtrace) backtrace;
  decltype(&_Unwind_GetIP) pc;
  decltype(&_Unwind_GetCFA) cfa;
  decltype(&_Unwind_GetGR) reg;
};
Unwinder g_unwinder;

struct Climb {
  ProgramFrame* frame;
  int depth;
  bool found;
};

_Unwind_Reason_Code climb(_Unwind_Context* context, void* argument) {
  constexpr int kDeepest = 40;                          // frames of ours
  constexpr int kPreserved[] = {3, 6, 12, 13, 14, 15};  // DWARF's numbers
  auto* c = static_cast<Climb*>(argument);
  const uintptr_t pc = g_unwinder.pc(context);
  if (pc == 0 || ++c->depth > kDeepest) return _URC_END_OF_STACK;
  // The first frame is the unwinder's caller.
  if (is_own_code(pc)) return _URC_NO_REASON;
  c->frame->pc = pc;
  c->frame->stack = g_unwinder.cfa(context);
  for (int i = 0; i < 6; ++i) c->frame->saved[i] = g_unwinder.reg(context, kPreserved[i]);
  c->found = true;
  return _URC_END_OF_STACK;
}

struct Collect {
  CallFrame* frames;
  int most, count, depth;
  uintptr_t pc, stack;
  bool kept;  // the frame before this one
};

_Unwind_Reason_Code collect(_Unwind_Context* context, void* argument) {
  constexpr int kDeepest = 4096;
  auto* c = static_cast<Collect*>(argument);
  const uintptr_t pc = g_unwinder.pc(context);
  const uintptr_t stack = g_unwinder.cfa(context);
  // Where this frame's stack pointer is after the call, the frame that it called ends.
  if (c->kept) c->frames[c->count - 1].end = stack;
  if (pc == 0 || (pc == c->pc && stack == c->stack) || ++c->depth > kDeepest) return _URC_END_OF_STACK;
  c->pc = pc;
  c->stack = stack;
  c->kept = !is_own_code(pc - 1);
  if (!c->kept) return _URC_NO_REASON;
  if (c->count == c->most) return _URC_END_OF_STACK;
  c->frames[c->count++] = {pc, 0};
  return _URC_NO_REASON;
}

}  // namespace

int find_call_frames(CallFrame* frames, int most) {
  const Unwinder& u = g_unwinder;
  if (u.backtrace == nullptr || u.pc == nullptr || u.cfa == nullptr) return 0;
  Collect c{frames, most, 0, 0, 0, 0, false};
  u.backtrace(collect, &c);
  return c.count;
}

void load_unwinder() {
  void* frame = nullptr;
  backtrace(&frame, 1);
  void* library = dlopen("libgcc_s.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return;
  g_unwinder.backtrace = reinterpret_cast<decltype(&_Unwind_Backtrace)>(dlsym(library, "_Unwind_Backtrace"));
  g_unwinder.pc = reinterpret_cast<decltype(&_Unwind_GetIP)>(dlsym(library, "_Unwind_GetIP"));
  g_unwinder.cfa = reinterpret_cast<decltype(&_Unwind_GetCFA)>(dlsym(library, "_Unwind_GetCFA"));
  g_unwinder.reg = reinterpret_cast<decltype(&_Unwind_GetGR)>(dlsym(library, "_Unwind_GetGR"));
}

bool find_program_frame(ProgramFrame* frame) {
  const Unwinder& u = g_unwinder;
  if (u.backtrace == nullptr || u.pc == nullptr || u.cfa == nullptr || u.reg == nullptr) return false;
  Climb c{frame, 0, false};
  u.backtrace(climb, &c);
  return c.found;
}

}  // namespace heddle::rt
