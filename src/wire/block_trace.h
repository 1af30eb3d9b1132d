#pragma once
// What the Valgrind tool (valgrind/ at the root) writes about every block of instructions that a run executes, so that one can walk backwards
// from a failure to what it depends on. Two parts of one file: what each block does, written when it is translated, and which blocks ran, each
// with the addresses and values of its accesses. The second is a ring of chunks: of a long run its end is kept.
#include <stdint.h>

#ifdef __cplusplus
namespace heddle {
#endif

enum { kHeddleTraceVersion = 2 };

// At the beginning of the file.
struct HeddleBlockTrace {
  uint64_t version;
  uint64_t description_at;        // in bytes from the beginning of the file
  uint64_t description_capacity;  // in words of four bytes
  uint64_t description_words;     // written
  uint64_t chunks_at;
  uint64_t chunk_capacity;  // how many chunks there is room for
  uint64_t chunks;          // begun, all in all: the last `chunk_capacity` of them are there
  uint64_t blocks;          // executed, all in all
  uint64_t lost_descriptions;
  uint64_t accesses;  // of those blocks
};

enum { kHeddleChunkWords = 1 << 15, kHeddleChunkHeader = 2 };
// A chunk is words of eight bytes: the number of words in use, its number, then records. A record begins with a head:
// the block's number << 16 | the thread's index in the trace, with HEDDLE_INSIDE where the runtime called it. What follows is fixed by the block: two words for each access, its address (0: it
// was not made) and its value.
enum HeddleRecord {
  kHeddleStepRecord = 0,     // one word: how many events there were
  kHeddleWrittenRecord = 1,  // two words: address and size of what the kernel wrote
  kHeddleFirstBlock = 16,
};

// A block's description: words of four bytes. The number of words, the block's number, its kind of code, how it ends, the address of its first
// instruction (two), where it goes on at its end (two; 0: computed), the module's number, its number of accesses; then steps.
enum { kHeddleBlockHeader = 10 };
enum HeddleBlockCode { kHeddleProgramCode = 0, kHeddleLibraryCode, kHeddleRuntimeCode };
enum HeddleBlockEnd { kHeddleEndsPlain = 0, kHeddleEndsCall, kHeddleEndsReturn, kHeddleEndsSystemCall };
// A module's: the number of words, kHeddleModule in place of the block's number, its number, its bias (two words), the length of its path in bytes, the path.
enum { kHeddleModule = 0 };

// A step: its kind and counts (kind | uses << 8 | flags << 16), what it defines (a place or kHeddleNoPlace), then as the kind says, then the
// places that it uses.
enum HeddleStep {
  kHeddleAt = 0,    // an instruction begins: its address (two words)
  kHeddleCompute,   // nothing more
  kHeddleLoad,      // number of the access | size << 16
  kHeddleStore,     // the same
  kHeddleExchange,  // the same: compare and exchange. Its value is what was there, and the access after it says whether it was exchanged
  kHeddleExit,      // where to (two words): taken if what it uses is true
};
enum HeddleStepFlag {
  kHeddleMayDefine = 1,   // what was there before may still be there
  kHeddleStackPlace = 2,  // the value is an address on the stack, and nothing else
  kHeddlePasses = 4,      // the instruction saves or restores a register
  kHeddleInFrame = 8,     // a store to the frame of the function that makes it
};

enum { kHeddleNoPlace = 0x7FFFFFFF };
// A place: a temporary of the block (its number with this bit), or bytes of the registers (offset << 8 | size).
#define HEDDLE_TEMPORARY 0x80000000u
// In the head of a record.
#define HEDDLE_INSIDE 0x8000000000000000u
// Used only to compute the address of an access.
#define HEDDLE_FOR_ADDRESS 0x40000000u

#ifdef __cplusplus
}  // namespace heddle
#endif
