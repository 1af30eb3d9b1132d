#pragma once
// What an object of heddle-cc says of each of its functions, in ELF notes of the section heddle_twins: where the instrumented code and its plain twin begin,
// and what has to be known to choose between them. Written as assembly by src/twin, read in the target by runtime/memory/twins.
#include <stdint.h>

namespace heddle {

inline constexpr char kTwinOwner[] = "Heddle";
inline constexpr uint32_t kTwinNote = 1;

enum TwinFlag : uint32_t {
  kTwinAtomics = 1,  // performs atomic operations
  kTwinOpaque = 2,   // calls what is not known, or is built in a way that forbids a twin
};

// Places are relative to the field that holds them; 0: none. Behind it: `loops` pairs of places (begin, end), then the names of `inlined` and of
// `called` functions, each 8 bytes. Everything is aligned to 4.
struct TwinNote {
  int32_t entry;  // 5 bytes of NOP for the jump
  int32_t end;
  int32_t plain, plain_end;
  int32_t cold, cold_end;  // the part of the instrumented function that is laid out apart
  uint32_t flags;
  uint32_t name[2];  // a hash, low half first; of a local function, with its unit
  uint32_t loops;    // that read and do not change anything: they may be waiting
  uint32_t inlined;  // functions that the instrumented code calls and the twin contains
  uint32_t called;
};

}  // namespace heddle
