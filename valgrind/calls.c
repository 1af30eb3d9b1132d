/* Which calls each thread is in. Only calls are seen, not returns: a call is over when the stack pointer is above its return address. So
   longjmp, exceptions and calls in last place need no care. */
#include "pub_tool_mallocfree.h"
#include "tool.h"

enum { kMostThreads = 16384, kMostCalls = 500 };

typedef struct {
  Addr return_address;
  Addr at; /* of the return address, on the stack */
} Call;

typedef struct {
  UInt depth;
  UInt known; /* calls, from the outermost, that the runtime was told of and has not been told the end of */
  UInt alive; /* of those, how many are still under way */
  Call calls[kMostCalls];
} Thread;
static Thread* threads[kMostThreads];

static Thread* running(void) {
  UWord index = ring.thread % kMostThreads;
  if (threads[index] == NULL) threads[index] = VG_(calloc)("heddle.calls", 1, sizeof(Thread));
  return threads[index];
}

static void drop_ended(Thread* t, Addr stack_pointer) {
  while (t->depth > 0 && t->calls[t->depth - 1].at < stack_pointer) t->depth--;
  if (t->alive > t->depth) t->alive = t->depth;
}

void told_call(Addr return_address, Addr stack_pointer) {
  Thread* t = running();
  /* What lies where this return address lies now is over, too. */
  drop_ended(t, stack_pointer + 1);
  if (t->depth == kMostCalls) return;
  t->calls[t->depth].return_address = return_address;
  t->calls[t->depth].at = stack_pointer;
  t->depth++;
}

void tell_calls(Addr stack_pointer) {
  Thread* t = running();
  drop_ended(t, stack_pointer);
  if (t->known > t->alive) put_record(kHeddleLeave, 0, 0, t->known - t->alive);
  for (UInt i = t->alive; i < t->depth; i++) put_record(kHeddleEnter, t->calls[i].at, t->calls[i].return_address, 0);
  t->known = t->alive = t->depth;
}

Addr calling_program(Addr stack_pointer) {
  Thread* t = running();
  drop_ended(t, stack_pointer);
  for (UInt i = t->depth; i > 0; i--) {
    if (code_class(t->calls[i - 1].return_address - 1) == kOwnCode) return t->calls[i - 1].return_address - 1;
  }
  return 0;
}
