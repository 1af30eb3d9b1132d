/* Which thread read what which other thread wrote: the shared-memory dependences of Tallam et al. 2007, section 3.1. Memory is looked at in
   regions of 256 bytes, a region in 64 cells of four bytes.
     I    a read in the region that was accessed last, which is this thread's alone: asked in the translated code, without a call
     II   the map of regions: while a region is one thread's alone, only which of its cells it has written is kept, a bit each
     III  a table with the last writer of each cell
   The naive detector has the table for every region from the beginning. Both give the same edges. */
#include "pub_tool_hashtable.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_vki.h"
#include "tool.h"

/* Of the core; in no header of the package. */
extern Int VG_(safe_fd)(Int old_descriptor);

const HChar* dependences_file;
Bool naive_table = False;

enum { kRegionBits = 8, kCellBits = 2, kCells = 64, kLeafRegions = 1024, kEdgeTable = 1 << 16 };
enum { kNobody = 0, kSeveral = 0xFFFF };

typedef struct {
  UShort owner; /* a thread's index + 1 */
  ULong written;
  UShort* writers;
} Region;
typedef struct {
  UWord next, key;
  Region regions[kLeafRegions];
} Leaf;
static VgHashTable* leaves;
static Leaf* last_leaf;
static UInt known_edges[2][kEdgeTable]; /* through memory, through files: writer and reader, by hash */
static Int descriptor = -1;
static ULong in_map, in_table, tables;

static Region* region_of(UWord number) {
  UWord key = number / kLeafRegions;
  if (last_leaf == NULL || last_leaf->key != key) {
    last_leaf = VG_(HT_lookup)(leaves, key);
    if (last_leaf == NULL) {
      last_leaf = VG_(calloc)("heddle.leaf", 1, sizeof *last_leaf);
      last_leaf->key = key;
      VG_(HT_add_node)(leaves, last_leaf);
    }
  }
  return &last_leaf->regions[number % kLeafRegions];
}

void dependences_begin(void) {
  SysRes opened;
  if (leaves == NULL) leaves = VG_(HT_construct)("heddle.dependences");
  opened = VG_(open)(dependences_file, VKI_O_RDWR | VKI_O_APPEND, 0);
  if (descriptor >= 0) VG_(close)(descriptor);
  descriptor = sr_isError(opened) ? -1 : VG_(safe_fd)(sr_Res(opened));
}

static void add_edge(UInt writer, UInt reader, Addr address, UWord pc) {
  UInt both = writer << 16 | reader;
  UInt at = (both * 0x9E3779B1u) >> 16;
  UInt* known = known_edges[address >= HEDDLE_FILE_BYTES ? 1 : 0];
  struct HeddleDependence edge;
  for (UInt i = 0; i < kEdgeTable; i++, at = (at + 1) % kEdgeTable) {
    if (known[at] == both) return;
    if (known[at] == 0) break;
  }
  known[at] = both;
  edge.writer = writer - 1;
  edge.reader = reader - 1;
  edge.address = address;
  edge.pc = pc;
  if (descriptor >= 0) VG_(write)(descriptor, &edge, sizeof edge);
}

/* More than one thread comes here: from now on each cell has its last writer. */
static void make_table(Region* region) {
  region->writers = VG_(calloc)("heddle.writers", kCells, sizeof *region->writers);
  tables++;
  for (UInt i = 0; i < kCells; i++) {
    if ((region->written >> i & 1) != 0) region->writers[i] = region->owner;
  }
  region->owner = kSeveral;
}

static void in_region(UWord number, UInt first, UInt last, UWord kind, UWord pc) {
  Region* region = region_of(number);
  const UShort me = ring.thread + 1;
  const Bool reads = kind != kHeddleWrite;
  const Bool writes = kind != kHeddleRead && kind != kHeddleAtomicFailed;
  in_map++;
  if (region->owner == kNobody) region->owner = me;
  if (naive_table && region->writers == NULL) make_table(region);
  ring.private_region = region->owner == me ? number : ~0ull;
  if (region->owner == me) {
    if (writes) region->written |= (~0ull >> (63 - last + first)) << first;
    return;
  }
  if (region->writers == NULL) make_table(region);
  in_table++;
  for (UInt i = first; i <= last; i++) {
    const UShort writer = region->writers[i];
    if (reads && writer != kNobody && writer != me) add_edge(writer, me, (number << kRegionBits) + (i << kCellBits), pc);
    if (writes) region->writers[i] = me;
  }
}

void depend_access(Addr address, UWord pc, UWord size_and_kind, Addr stack_pointer) {
  UWord size = size_and_kind >> 8;
  Addr end = address + size;
  (void)stack_pointer;
  if (!ring.on || size == 0) return;
  while (address < end) {
    Addr next = ((address >> kRegionBits) + 1) << kRegionBits;
    Addr stop = end < next ? end : next;
    in_region(address >> kRegionBits, (address >> kCellBits) % kCells, ((stop - 1) >> kCellBits) % kCells, size_and_kind & 0x7F, pc);
    address = stop;
  }
}

void dependences_forget(Addr address, UWord size) {
  Addr end = (address + size) & ~(Addr)3;
  for (Addr at = (address + 3) & ~(Addr)3; at < end; at += 4) {
    Region* region = region_of(at >> kRegionBits);
    UInt cell = (at >> kCellBits) % kCells;
    region->written &= ~(1ull << cell);
    if (region->writers != NULL) region->writers[cell] = kNobody;
  }
}

void dependences_print(void) {
  VG_(umsg)
  ("accesses that came to the map of regions %llu, to the table of writers %llu; tables %llu of %d bytes\n", in_map, in_table, tables,
   (Int)(kCells * sizeof(UShort)));
}
