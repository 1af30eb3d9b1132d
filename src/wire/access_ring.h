#pragma once
// What the Valgrind tool (valgrind/ at the root) tells the runtime about a program that announces nothing itself: memory accesses, in the
// order in which they were made, up to the thread's next event. The tool is C, and a program of its own: this header is all they share.
#include <stdint.h>

#ifdef __cplusplus
namespace heddle {
#endif

enum { kHeddleRingVersion = 2 };

enum HeddleAccessKind {
  kHeddleRead = 0,
  kHeddleWrite,
  kHeddleUpdate,        // one instruction reads and writes, and is not atomic
  kHeddleAtomic,        // a locked instruction
  kHeddleAtomicFailed,  // a compare-and-exchange that did not
  kHeddleFence,
  kHeddleEnter,  // a call: `pc` is its return address, `address` where on the stack it lies
  kHeddleLeave,  // `size` calls have ended
};

struct HeddleAccess {
  uint64_t address;
  uint64_t pc;  // of the instruction
  uint32_t size;
  uint32_t kind;  // HeddleAccessKind
};

// Lies in the tool's memory. The runtime writes the first part, the tool the second.
struct HeddleRing {
  uint64_t thread;          // who runs: its index in the trace
  uint64_t interval;        // moves on with every event: what was told before is told again
  uint64_t private_region;  // last accessed by this thread, and by nobody else; ~0: none. Set to that at every switch
  uint64_t on;
  uint64_t count;  // records not taken yet
  uint64_t capacity;
  uint64_t lost;     // more came than there was room for
  uint64_t foreign;  // blocks of code of no file: made at run time, and not watched
  struct HeddleAccess* records;
};

// Client requests, after the tool's base number.
enum HeddleRequest {
  kHeddleAsk = 0,     // gives the address of the ring; 0 or nothing: another tool, or none
  kHeddleFunction,    // a function of the C library (its address, HeddleMemoryFunction) that accesses memory for its caller
  kHeddleBegin,       // a run begins
  kHeddleTouch,       // the runtime knows of an access to these bytes (address, size) that is no instruction of the program's
  kHeddleForget,      // the memory there (address, size) is new
  kHeddleAtomicSite,  // the instruction there is atomic, or may be
  kHeddleCaller,      // gives the last byte of the innermost call of the program's own code that is under way (stack pointer), or 0
  kHeddleCopy,        // instructions from the first address up to the second are a copy of what the program has at the third
};

// A thread has read what another wrote: each two of them once. In the file that the tool is given for them.
// Addresses from here on are no memory: bytes of files.
#define HEDDLE_FILE_BYTES (1ull << 62)
struct HeddleDependence {
  uint32_t writer, reader;  // indices in the trace
  uint64_t address;
  uint64_t pc;  // of the reading instruction
};

// In the file of shared regions: marks one of which no access was lost before it became shared.
static const uint64_t kHeddleNothingLost = 1ull << 63;

// What such a function accesses, by its arguments a, b and c.
enum HeddleMemoryFunction {
  kHeddleCopies = 0,     // c bytes from b to a
  kHeddleFills,          // c bytes at a
  kHeddleCompares,       // up to c bytes at a and b
  kHeddleSearches,       // up to c bytes at a
  kHeddleReadsText,      // the text at a
  kHeddleReadsTexts,     // the texts at a and b
  kHeddleReadsTextsTo,   // the texts at a and b, up to c bytes each
  kHeddleCopiesText,     // the text at b to a
  kHeddleCopiesTextTo,   // c bytes at a, from the text at b
  kHeddleAppendsText,    // the text at b to the end of that at a
  kHeddleReadsTextUpTo,  // the text at a, up to b bytes
};

#ifdef __cplusplus
}  // namespace heddle
#endif
