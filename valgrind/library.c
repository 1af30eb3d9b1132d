/* Functions of the C library that access memory for their caller: what they access is told as an access of the call. */
#include "pub_tool_libcbase.h"
#include "pub_tool_transtab.h"
#include "tool.h"

enum { kMostFunctions = 256 };
static struct {
  Addr entry;
  UWord kind;
} functions[kMostFunctions];
static UInt function_count;

void add_memory_function(Addr entry, UWord kind) {
  UWord known;
  if (entry == 0 || function_count == kMostFunctions || is_memory_function(entry, &known)) return;
  functions[function_count].entry = entry;
  functions[function_count].kind = kind;
  function_count++;
  /* It has been executed before, and its translation does not know. */
  VG_(discard_translations_safely)(entry, 1, "heddle");
}

Bool is_memory_function(Addr address, UWord* kind) {
  for (UInt i = 0; i < function_count; i++) {
    if (functions[i].entry != address) continue;
    *kind = functions[i].kind;
    return True;
  }
  return False;
}

static UWord text_length(const HChar* text, UWord most) {
  UWord n = 0;
  while (n < most && text[n] != 0) n++;
  return n < most ? n + 1 : n;
}

/* How far a comparison looks: to the first difference. */
static UWord compared(const HChar* a, const HChar* b, UWord most, Bool texts) {
  UWord n = 0;
  while (n < most && a[n] == b[n] && !(texts && a[n] == 0)) n++;
  return n < most ? n + 1 : n;
}

static struct {
  UWord pc;
  Addr stack_pointer;
} call;

static void access_made(Addr address, UWord pc, UWord size_and_kind, Addr stack_pointer) {
  if (dependences_file != NULL) {
    depend_access(address, pc, size_and_kind, stack_pointer);
  } else {
    told_access(address, pc, size_and_kind, stack_pointer);
  }
}

static void touches(Addr address, UWord size, UWord kind) {
  enum { kPiece = 1 << 16 };
  for (; size > 0; address += kPiece, size -= size < kPiece ? size : kPiece)
    access_made(address, call.pc, (size < kPiece ? size : kPiece) << 8 | kind, call.stack_pointer);
}

/* Called at the entry, with the first three arguments: the return address is on top of the stack. */
void told_memory_function(UWord kind, Addr stack_pointer, UWord a, UWord b, UWord c) {
  const UWord unlimited = ~0ull;
  const HChar* text = (const HChar*)a;
  const HChar* other = (const HChar*)b;
  Addr caller = *(const Addr*)stack_pointer - 1;
  if (!ring.on) return;
  if (code_class(caller) == kLibraryCode) caller = calling_program(stack_pointer + 8);
  if (caller == 0 || code_class(caller) != kOwnCode) return;
  call.pc = caller;
  call.stack_pointer = stack_pointer + 8;
  switch ((enum HeddleMemoryFunction)kind) {
    case kHeddleCopies:
      touches(b, c, kHeddleRead);
      touches(a, c, kHeddleWrite);
      return;
    case kHeddleFills: touches(a, c, kHeddleWrite); return;
    case kHeddleCompares: {
      const UWord n = compared(text, other, c, False);
      touches(a, n, kHeddleRead);
      touches(b, n, kHeddleRead);
      return;
    }
    case kHeddleSearches: {
      UWord n = 0;
      while (n < c && (UChar)text[n] != (UChar)b) n++;
      touches(a, n < c ? n + 1 : n, kHeddleRead);
      return;
    }
    case kHeddleReadsText: touches(a, text_length(text, unlimited), kHeddleRead); return;
    case kHeddleReadsTextUpTo: touches(a, text_length(text, b), kHeddleRead); return;
    case kHeddleReadsTexts:
    case kHeddleReadsTextsTo: {
      const UWord n = compared(text, other, kind == kHeddleReadsTexts ? unlimited : c, True);
      touches(a, n, kHeddleRead);
      touches(b, n, kHeddleRead);
      return;
    }
    case kHeddleCopiesText: {
      const UWord n = text_length(other, unlimited);
      touches(b, n, kHeddleRead);
      touches(a, n, kHeddleWrite);
      return;
    }
    case kHeddleCopiesTextTo:
      touches(b, text_length(other, c), kHeddleRead);
      touches(a, c, kHeddleWrite);
      return;
    case kHeddleAppendsText: {
      const UWord end = text_length(text, unlimited), n = text_length(other, unlimited);
      touches(a, end, kHeddleRead);
      touches(b, n, kHeddleRead);
      touches(a + end - 1, n, kHeddleWrite);
      return;
    }
  }
}
