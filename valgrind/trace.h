/* The blocks that a run executes, written for somebody who walks backwards through them (wire/block_trace.h). */
#ifndef HEDDLE_VALGRIND_TRACE_H
#define HEDDLE_VALGRIND_TRACE_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"
#include "wire/block_trace.h"

/* trace.c */
extern const HChar* trace_file; /* NULL: blocks are not written */
void trace_begin(void);
void add_description(const UInt* description, UInt words);
IRSB* instrument_for_trace(VgCallbackClosure* closure, IRSB* in, const VexGuestLayout* layout, const VexGuestExtents* extents,
                           const VexArchInfo* info, IRType guest_word, IRType host_word);
/* The kernel wrote there. */
void trace_kernel_write(CorePart part, ThreadId thread, Addr address, SizeT size);

/* copies.c: where the program has the instruction that lies there; the address itself, if it is no copy. */
void add_copy(Addr begin, Addr end, Addr original);
Addr original_of(Addr address);

/* describe.c */
UInt describe_block(const IRSB* in, UInt number, Addr first, UInt code);

#endif
