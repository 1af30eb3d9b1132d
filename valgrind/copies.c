/* Instructions that the runtime has copied to another place, where they do what they did (decision 26): whoever reads the blocks of a run sees them
   where the program has them. */
#include "trace.h"

/* Instructions from `begin` up to `end` are those at `original`. */
typedef struct {
  Addr begin, end, original;
} Copy;

enum { kMostCopies = 1 << 15 };
static Copy copies[kMostCopies];
static UInt known;

void add_copy(Addr begin, Addr end, Addr original) {
  if (known < kMostCopies && begin < end) copies[known++] = (Copy){begin, end, original};
}

Addr original_of(Addr address) {
  for (UInt i = known; i > 0; i--) {
    if (address >= copies[i - 1].begin && address < copies[i - 1].end) return copies[i - 1].original;
  }
  return address;
}
