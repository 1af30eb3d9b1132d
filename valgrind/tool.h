/* Parts of the tool. Which accesses are worth a record is decided in filter.c, which calls lead to them is kept in calls.c, what the
   instructions of a block access is found in blocks.c. */
#ifndef HEDDLE_VALGRIND_TOOL_H
#define HEDDLE_VALGRIND_TOOL_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"
#include "wire/access_ring.h"

/* Whose code a block is. */
typedef enum {
  kOwnCode,     /* the program's */
  kLibraryCode, /* of a library of the system: its accesses are told as its caller's */
  kHiddenCode,  /* the C library, the loader, the runtime: they synchronise by means that nobody sees */
  kUnknownCode, /* of no file: made at run time */
} CodeClass;
CodeClass code_class(Addr address);
/* Of the runtime, the loader or Valgrind itself. */
Bool is_runtime_code(Addr address);

/* Added to the kind of an access in the code of a library. */
enum { kByLibrary = 0x80 };

/* filter.c */
extern struct HeddleRing ring;
extern Int region_bits;
extern Bool keep_all; /* every access is told, as if all memory were shared */
extern const HChar* regions_file;
void filter_begin_run(void);
void told_access(Addr address, UWord pc, UWord size_and_kind, Addr stack_pointer);
/* A store of eight bytes. */
void told_word_store(Addr address, UWord pc, UWord size_and_kind, Addr stack_pointer, ULong value);
/* The runtime has an access of its own to these bytes, made for the program. */
void touched_by_runtime(Addr address, UWord size);
void add_atomic_site(Addr pc);
void filter_print(void);

/* dependences.c */
extern const HChar* dependences_file; /* NULL: accesses are told to the runtime instead */
extern Bool naive_table;
void dependences_begin(void);
void depend_access(Addr address, UWord pc, UWord size_and_kind, Addr stack_pointer);
/* The memory is new: what was written there is nobody's. */
void dependences_forget(Addr address, UWord size);
void dependences_print(void);

/* files.c */
void files_before_call(ThreadId thread, UInt number, UWord* arguments, UInt count);
void files_after_call(ThreadId thread, UInt number, UWord* arguments, UInt count, SysRes result);

/* calls.c */
void told_call(Addr return_address, Addr stack_pointer);
/* Puts the records of the running thread's calls before that of its access. */
void tell_calls(Addr stack_pointer);
/* Where the program's own code called the library that runs; 0: not known. */
Addr calling_program(Addr stack_pointer);

/* library.c */
void add_memory_function(Addr entry, UWord kind);
Bool is_memory_function(Addr address, UWord* kind);
void told_memory_function(UWord kind, Addr stack_pointer, UWord a, UWord b, UWord c);

/* blocks.c */
extern ULong unknown_blocks;
IRSB* instrument(VgCallbackClosure* closure, IRSB* in, const VexGuestLayout* layout, const VexGuestExtents* extents,
                 const VexArchInfo* info, IRType guest_word, IRType host_word);

void put_record(UWord kind, Addr address, UWord pc, UWord size);

#endif
